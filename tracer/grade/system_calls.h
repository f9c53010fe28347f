#pragma once
#include <string>

namespace tracer {

// A program for the kernel's filter of system calls, as bubblewrap's --seccomp takes it: a hand-in gets an
// error where it asks for what none needs. Namespaces and mounts of its own, the kernel's keyrings, other
// processes' memory, memory that no process is charged for, sockets to anything but the own machine, and
// what flaws of kernels are mostly found in. A program of another processor (32 bits) is killed. Empty on a
// processor whose calls are not known here.
std::string system_call_filter();

}  // namespace tracer
