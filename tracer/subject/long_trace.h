#pragma once
#include "report/report.h"

namespace tracer {

// Of a long trace that goes to people, and of which no part was asked for: its large pieces, and a last line
// that says how all the others are seen.
void keep_large_pieces(Report& report);

}  // namespace tracer
