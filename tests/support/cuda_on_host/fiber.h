#pragma once
#include <cstddef>

// Stacks to run functions on, and the jump from one to another: a few nanoseconds, no help of the system.
// Sanitizers are told of every jump.
namespace cuda_on_host {

struct Fiber {
    void* stack_pointer = nullptr;
    void* stack = nullptr;  // its lowest address; without one: the stack of whoever calls
    std::size_t stack_bytes = 0;
    void* sanitizer = nullptr;
};

// A new stack, on which `main` will run at the first jump; it must never return. The index spreads the stacks
// over the cache.
void make_fiber(Fiber& fiber, std::size_t index, void (*main)());
void restart_fiber(Fiber& fiber, std::size_t index, void (*main)());  // what ran on it is forgotten
void jump(Fiber& from, Fiber& to);
void landed();  // the first thing that `main` must do

}  // namespace cuda_on_host
