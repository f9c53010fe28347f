#include "fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../sanitizers.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

namespace cuda_on_host {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t usable_bytes = 256 << 10;  // redzones around every array
#else
constexpr std::size_t usable_bytes = 64 << 10;
#endif
constexpr std::size_t page = 4096, line = 64;

Fiber* jumped_from = nullptr;
Fiber* jumped_to = nullptr;

}  // namespace

// ---- the jump ---------------------------------------------------------------------------------------------

#if defined(__x86_64__)
namespace {
// The initial stack, as if switched out just before main: its address, and no caller.
void* fresh_stack_pointer(std::uintptr_t top, void (*main)()) {
    auto* words = reinterpret_cast<void**>(top) - 4;
    std::memset(words, 0, 4 * sizeof(void*));
    std::memcpy(&words[0], &main, sizeof main);
    return words;
}
}  // namespace

#elif defined(__aarch64__)
// Saves callee-saved registers, switches stacks, and restores them.
asm(R"(
.text
.p2align 4
.globl cuda_on_host_jump
.type cuda_on_host_jump,%function
cuda_on_host_jump:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
.size cuda_on_host_jump,.-cuda_on_host_jump
)");

namespace {
void* fresh_stack_pointer(std::uintptr_t top, void (*main)()) {
    auto* words = reinterpret_cast<void**>(top) - 20;
    std::memset(words, 0, 20 * sizeof(void*));
    std::memcpy(&words[11], &main, sizeof main);  // x30: the return address
    return words;
}
}  // namespace

#else  // portable but slower: the context is on the heap, and the stack pointer points to it
namespace {
ucontext_t* context(void*& place) {
    if (!place) place = std::calloc(1, sizeof(ucontext_t));
    return static_cast<ucontext_t*>(place);
}
}  // namespace
extern "C" void cuda_on_host_jump(void** save, void* load) {
    swapcontext(context(*save), static_cast<ucontext_t*>(load));
}
#endif

// ---- stacks -----------------------------------------------------------------------------------------------

void make_fiber(Fiber& fiber, std::size_t index, void (*main)()) {
    const std::size_t bytes = usable_bytes + 2 * page;  // a guard page below, space for the shift above
    void* block =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED || mprotect(block, page, PROT_NONE) != 0) {
        std::fprintf(stderr, "cuda on host: no memory for the stack of a thread\n");
        std::exit(1);
    }
    fiber.stack = static_cast<char*>(block) + page;
    fiber.stack_bytes = bytes - page;
    restart_fiber(fiber, index, main);
}

void restart_fiber(Fiber& fiber, std::size_t index, void (*main)()) {
    // Stacks that all end at the same offset in a page would compete for the same few cache lines.
    const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(fiber.stack) + fiber.stack_bytes;
    const std::uintptr_t top = end - (index % (page / line)) * line;
#ifdef __SANITIZE_ADDRESS__
    ASAN_UNPOISON_MEMORY_REGION(fiber.stack, fiber.stack_bytes);
    fiber.sanitizer = nullptr;
#endif
#ifdef __SANITIZE_THREAD__
    if (fiber.sanitizer) __tsan_destroy_fiber(fiber.sanitizer);
    fiber.sanitizer = __tsan_create_fiber(0);
#endif
#if defined(__x86_64__) || defined(__aarch64__)
    fiber.stack_pointer = fresh_stack_pointer(top, main);
#else
    ucontext_t* c = context(fiber.stack_pointer);
    getcontext(c);
    c->uc_stack.ss_sp = fiber.stack;
    c->uc_stack.ss_size = top - reinterpret_cast<std::uintptr_t>(fiber.stack);
    c->uc_link = nullptr;
    makecontext(c, main, 0);
#endif
}

void announce_jump([[maybe_unused]] Fiber& from, [[maybe_unused]] Fiber& to) {
    jumped_from = &from;
    jumped_to = &to;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(&from.sanitizer, to.stack, to.stack_bytes);
#endif
#ifdef __SANITIZE_THREAD__
    if (!from.stack) from.sanitizer = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to.sanitizer, 0);
#endif
}

void landed() {
#ifdef __SANITIZE_ADDRESS__
    const void* stack = nullptr;
    std::size_t bytes = 0;
    __sanitizer_finish_switch_fiber(jumped_to->sanitizer, &stack, &bytes);
    jumped_from->stack = const_cast<void*>(stack);
    jumped_from->stack_bytes = bytes;
#endif
}

}  // namespace cuda_on_host
