#pragma once
#include <string>

#include <glassbox/observe/trace.h>

namespace tracer {

// The path of the step that `name` means: a whole path, or the end of one alone, "norm2". Throws UsageError
// that names `option`, with the steps that end so where several do, and those there are where none does.
std::string step_named(const glassbox::Trace& trace, const std::string& name, const std::string& option);

}  // namespace tracer
