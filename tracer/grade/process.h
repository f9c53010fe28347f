#pragma once
#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "grade/course.h"

namespace glassbox::tracer {

inline constexpr unsigned nobody = 65534;  // the user and the group without rights

// A program that is run with limits, apart from this one.
struct LimitedRun {
    std::vector<std::string> words;        // the program's absolute path and its arguments
    std::vector<std::string> environment;  // "NAME=value", and nothing else
    std::string folder = "/";              // where it begins
    bool as_nobody = false;                // gives up root's rights first
    unsigned cores = 1;                    // that it may use; its time is counted on each
    std::string given{};                   // what it can read from descriptor 5; it has none if this is empty
};

// How it ended, and what it left.
struct RunResult {
    // The limit that stopped it, as a sentence: "it did not finish within 10 seconds"; else empty.
    std::string stopped;
    int code = 0;         // the exit code; −n where signal n ended it
    std::string printed;  // standard output and standard error, in order of arrival
    std::string result;   // what it wrote to descriptor 3
    bool is_cut = false;  // it printed more than that
    // A signal (SIGSTOP) held the process, from outside or by itself: not the work's failure.
    bool is_held = false;
    double seconds = 0;  // on the clock, from its start to its end
};

// Throws Interrupted (cli/failure.h) after what was running has been stopped.
RunResult run_limited(const LimitedRun& run, const Limits& limits);

// What a process and its descendants use now; zeros if the system has no /proc.
struct Usage {
    double memory = 0;  // bytes; what two processes share counts twice
    double processes = 0;
    bool is_held = false;              // one of them was stopped by a signal, and not continued
    std::map<pid_t, double> waited{};  // of each, how many seconds it was ready to run and had no processor
};
Usage usage_of(pid_t process);
// How many processes the system has ended since it started because memory was short.
double killed_for_memory();

// For a child between fork and exec: only system calls, since another thread may have held a lock at the
// fork. Descriptors open in the teacher's shell are not inherited: through a folder's descriptor the child
// could write to its files.
void close_from(int first);
void close_each_from(int first);  // the same, if the kernel cannot do it at once (before Linux 5.9)
// Every process of a session inherits its keyring, with Kerberos tickets for example.
void leave_session_keyring();

}  // namespace glassbox::tracer
