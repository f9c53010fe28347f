#pragma once
#include <string>
#include <utility>
#include <vector>

namespace tracer {

// Thrown by a command after reporting a failed check; run() then returns 1.
struct CheckFailed {};

// The exit codes with their meanings.
const std::vector<std::pair<int, std::string>>& exit_codes();

// Called in a catch block: prints the exception to standard error, after `prefix`, and returns the exit code.
int report_failure(const std::string& prefix = "");

}  // namespace tracer
