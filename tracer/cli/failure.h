#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace glassbox::tracer {

// Thrown by a command after reporting a failed check; run() then returns 1.
struct CheckFailed {};

// Delivers the findings. Throws CheckFailed if the check failed, even if the output is not read to its end.
void deliver_checked(bool holds, const std::function<void()>& deliver);
void deliver_checked(bool holds, std::string_view text, const std::string& output);  // by deliver(), output.h

struct ExitCode {
    int code;
    std::string_view meaning;
};
// All of them, from 0.
std::span<const ExitCode> exit_codes();

// Called in a catch block: prints the exception to standard error, after `prefix`, and returns the exit code.
int report_failure(std::string_view prefix = "") noexcept;
// The same when out of memory. Allocates nothing.
int report_out_of_memory(std::string_view prefix = "", std::string_view what = "out of memory") noexcept;
// Ends the process with that where nothing can catch: only once, if several threads and destructors get here.
[[noreturn]] void end_out_of_memory() noexcept;

// SIGINT, SIGTERM and SIGHUP (terminal closed) are only noted from now on, so that a command can stop in good
// order; a second one ends the process immediately.
void listen_for_signals();
int caught_signal();  // 0: none yet
// Thrown where one was caught and the work stops. Not a std::exception: those become a student's result.
struct Interrupted {};
const char* signal_name(int number);
// Ends the process by this signal, so that the shell sees it: exit code 128 + number.
[[noreturn]] void end_by_signal(int number);

}  // namespace glassbox::tracer
