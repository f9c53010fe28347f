#pragma once
#include <string>

#include <glassbox/observe/trace.h>

namespace tracer {

// The path of the step that `name` refers to: a full path, or a unique ending of one, "norm2". Throws
// UsageError that names `option` and lists the steps that match, or all steps where none does.
std::string step_named(const glassbox::Trace& trace, const std::string& name, const std::string& option);

}  // namespace tracer
