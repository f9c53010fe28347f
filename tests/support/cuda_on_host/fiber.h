#pragma once
#include <cstddef>

// Fibers: stacks for functions, and switches between them in a few nanoseconds without system calls.
// Sanitizers are notified of every switch.
namespace cuda_on_host {

struct Fiber {
    void* stack_pointer = nullptr;
    void* stack = nullptr;  // its lowest address; null: the caller's stack
    std::size_t stack_bytes = 0;
    void* sanitizer = nullptr;
};

// A new stack, on which `main` runs after the first switch; it must never return. The index spreads stacks
// over cache lines.
void make_fiber(Fiber& fiber, std::size_t index, void (*main)());
void restart_fiber(Fiber& fiber, std::size_t index, void (*main)());  // discards what ran on it
void landed();                                                        // must be the first call in `main`

// ---- the jump --------------------------------------------------------------------------------------------

void announce_jump(Fiber& from, Fiber& to);  // to the sanitizers
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__clang__)
constexpr bool has_announcements = true;
#else
constexpr bool has_announcements = false;
#endif

#if defined(__x86_64__)
// Inline, without call and return, which the return stack buffer would mispredict. The compiler saves the
// registers it needs; %rbp and the resume address are pushed below the red zone of 128 bytes.
inline __attribute__((always_inline)) void exchange_stacks(void** save, void* load) {
    asm volatile(
        "leaq -128(%%rsp), %%rsp\n\t"
        "pushq %%rbp\n\t"
        "leaq 1f(%%rip), %%rdx\n\t"
        "pushq %%rdx\n\t"
        "movq %%rsp, (%0)\n\t"
        "movq %1, %%rsp\n\t"
        "popq %%rdx\n\t"
        "jmp *%%rdx\n"
        "1:\n\t"
        "popq %%rbp\n\t"
        "leaq 128(%%rsp), %%rsp\n\t"
        : "+D"(save), "+S"(load)
        :
        : "memory", "cc", "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
          "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
          "xmm12", "xmm13", "xmm14", "xmm15");
}
#else
extern "C" void cuda_on_host_jump(void** save, void* load);
inline void exchange_stacks(void** save, void* load) { cuda_on_host_jump(save, load); }
#endif

inline __attribute__((always_inline)) void jump(Fiber& from, Fiber& to) {
    if (has_announcements) announce_jump(from, to);
    exchange_stacks(&from.stack_pointer, to.stack_pointer);
    if (has_announcements) landed();
}

}  // namespace cuda_on_host
