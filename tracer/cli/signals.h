#pragma once

namespace tracer {

// SIGINT, SIGTERM and SIGHUP (terminal closed) are only noted from now on, so that a command can stop in good
// order; a second one ends the process immediately.
void listen_for_signals();
int caught_signal();  // 0: none yet
// Thrown where one was caught and the work does not go on. No std::exception: a student's result is made of
// those.
struct Interrupted {};
const char* signal_name(int number);
// Ends the process by this signal, so that the shell sees it: exit code 128 + number.
[[noreturn]] void end_by_signal(int number);

}  // namespace tracer
