#pragma once
#include <string>
#include <vector>

#include "grade/course.h"

namespace tracer {

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
    std::string said;     // standard output and standard error, in the order in which they came
    std::string result;   // what it wrote to descriptor 3
    bool is_cut = false;  // it said more than that
    // Nobody's work: what was running was held by a signal (SIGSTOP), from outside or by itself.
    bool is_held = false;
    double seconds = 0;  // on the clock, from its start to its end
};

// Throws Interrupted (cli/signals.h) after what was running has been stopped.
RunResult run_limited(const LimitedRun& run, const Limits& limits);

}  // namespace tracer
