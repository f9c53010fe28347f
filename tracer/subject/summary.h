#pragma once
#include <string>

#include <glassbox/observe/trace.h>

#include "subject/subject.h"

namespace tracer {

// The tree of layers with shapes, parameters and multiply–adds.
std::string summary_text(const glassbox::Trace& trace, const Subject& subject);

}  // namespace tracer
