#pragma once
#include <sys/types.h>

#include <map>

namespace tracer {

// What a process and all that it started use now; zeros where the system has no /proc.
struct Usage {
    double memory = 0;  // bytes; what two processes share counts twice
    double processes = 0;
    bool is_held = false;              // one of them was stopped by a signal, and not continued
    std::map<pid_t, double> waited{};  // of each, how many seconds it was ready to run and had no processor
};
Usage usage_of(pid_t process);
// How many processes the system has ended since it started because memory was short.
double killed_for_memory();

}  // namespace tracer
