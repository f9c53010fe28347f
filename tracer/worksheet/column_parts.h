#pragma once
#include <string>
#include <vector>

#include <glassbox/observe/trace.h>

#include "worksheet/sheet.h"

namespace glassbox::tracer {

// The columns of a step that later steps take apart, such as Q | K | V of qkv, from left to right; empty for
// a step that is used as a whole. With `has_heads` the heads are named where a name comes more than once.
std::vector<SheetMatrix::ColumnPart> column_parts(const Trace& trace, const std::string& path,
                                                  bool has_heads);

}  // namespace glassbox::tracer
