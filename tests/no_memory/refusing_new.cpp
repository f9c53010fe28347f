#include "refusing_new.h"

#include <cstdlib>
#include <new>

namespace glassbox_test {

std::atomic<long> blocks_alive{0}, blocks_until_refused{0};

}  // namespace glassbox_test

using namespace glassbox_test;

// The other forms call these two.
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
