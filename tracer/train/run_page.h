#pragma once
#include <string>

namespace tracer {

// A page that shows a training run: its curves, its kept attention maps by epoch, and its logged steps.
// `file` is its run.jsonl or its folder. Throws as read_run_log does.
std::string run_page(const std::string& file);

}  // namespace tracer
