#include "refusing_new.h"

#include <cstdlib>
#include <new>

namespace glassbox_test {

std::atomic<long> blocks_alive{0}, blocks_until_refused{0};

}  // namespace glassbox_test

using namespace glassbox_test;

// All forms, for a sanitizer brings its own of those that are missing.
void* operator new(std::size_t bytes) {
    if (blocks_until_refused.load() > 0 && --blocks_until_refused == 0) throw std::bad_alloc();
    void* const block = std::malloc(bytes ? bytes : 1);
    if (!block) throw std::bad_alloc();
    ++blocks_alive;
    return block;
}

void operator delete(void* block) noexcept {
    if (block) --blocks_alive;
    std::free(block);
}

void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept try {
    return operator new(bytes);
} catch (const std::bad_alloc&) {
    return nullptr;
}
void* operator new[](std::size_t bytes, const std::nothrow_t& no) noexcept { return operator new(bytes, no); }
void operator delete[](void* block) noexcept { operator delete(block); }
void operator delete[](void* block, std::size_t) noexcept { operator delete(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { operator delete(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { operator delete(block); }
