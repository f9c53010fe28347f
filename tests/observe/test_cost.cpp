// What nobody observes must cost nothing: allocations are counted, not time (bench/overhead.cpp measures
// that).
#include <cstdlib>
#include <new>

#include <glassbox/observe/record.h>
#include <glassbox/observe/scope.h>
#include <glassbox/observe/trace.h>

#include "support/catch.h"

namespace {
thread_local long allocations = 0;

void* counted(std::size_t bytes) noexcept {
    ++allocations;
    return std::malloc(bytes ? bytes : 1);
}
void* counted_or_throw(std::size_t bytes) {
    if (void* block = counted(bytes)) return block;
    throw std::bad_alloc();
}
}  // namespace

// All of this program's allocations go through here. Every form is replaced: a sanitizer has its own for the
// others.
void* operator new(std::size_t bytes) { return counted_or_throw(bytes); }
void* operator new[](std::size_t bytes) { return counted_or_throw(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { std::free(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { std::free(block); }

using namespace glassbox;

TEST_CASE("named, scopes and records allocate nothing when nobody listens") {
    const Tensor x = {1, 2, 3};
    Tensor y = x;
    { const Scope first("the first one makes the thread's path"); }
    const long before = allocations;
    for (int i = 0; i < 1000; ++i) {
        const Scope scope("encoder", i);
        y = named("a name longer than any small string holds without an allocation", y);
        y = record("identity", y, {&y}, [x](const Tensor& dy) -> Tape::Gradients { return {dy}; });
    }
    CHECK(allocations - before == 0);
}

TEST_CASE("the counter counts: a listening trace does allocate") {
    const Tensor x = {1, 2, 3};
    const long before = allocations;
    Trace trace;
    named("x", x);
    CHECK(allocations - before > 0);
}

TEST_CASE("a shape and a view of a tensor allocate nothing") {
    const Tensor x = {{1, 2}, {3, 4}};
    const long before = allocations;
    const Tensor copy = x;
    const ConstView view = copy.view();
    const Tensor alias = copy.alias({4}, {1});
    const bool contiguous = view.contiguous() && alias.contiguous();
    CHECK(allocations - before == 0);
    CHECK(contiguous);
}
