#pragma once
#include <string>
#include <utility>
#include <vector>

namespace tracer {

// Thrown by a command that has shown that something it checked does not hold; run() then returns 1.
struct CheckFailed {};

// What the program's exit codes mean.
const std::vector<std::pair<int, std::string>>& exit_codes();

// Inside a catch: says on standard error what was thrown, behind `who`, and returns its exit code.
int report_failure(const std::string& who = "");

}  // namespace tracer
