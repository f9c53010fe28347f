#pragma once
#include <cstddef>
#include <new>

namespace glassbox::detail {

// No reuse under AddressSanitizer: it detects a use after free only in memory that has actually been freed.
#if !defined(__has_feature)
#define __has_feature(feature) 0  // clang only; g++ defines __SANITIZE_ADDRESS__
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
inline constexpr bool memory_is_reused = false;
#else
inline constexpr bool memory_is_reused = true;
#endif

// A thread-local free list for small objects of one size, which every op allocates and frees. A class uses it
// in its operator new and operator delete.
template <std::size_t bytes>
class FreeList {
  public:
    static void* take() {
        Blocks& list = blocks();
        if (!list.first) return ::operator new(bytes);
        Block* block = list.first;
        list.first = block->next;
        --list.count;
        return block;
    }

    static void give(void* memory) noexcept {
        Blocks& list = blocks();
        if (!memory_is_reused || list.count == list.max_count) return ::operator delete(memory);
        if (!list.first) free_at_thread_exit();
        list.first = new (memory) Block{list.first};
        ++list.count;
    }

  private:
    struct Block {
        Block* next;
    };
    struct Blocks {
        Block* first = nullptr;
        std::size_t count = 0, max_count = 16384;
    };
    static Blocks& blocks() {
        static thread_local Blocks instance;
        return instance;
    }

    // Blocks itself has no destructor, so that static objects can still return memory after the thread's end.
    struct Cleanup {
        ~Cleanup() {
            Blocks& list = blocks();
            list.max_count = list.count = 0;
            while (Block* block = list.first) {
                list.first = block->next;
                ::operator delete(block);
            }
        }
    };
    static void free_at_thread_exit() {
        static thread_local Cleanup cleanup;
        static_cast<void>(cleanup);
    }
};

}  // namespace glassbox::detail
