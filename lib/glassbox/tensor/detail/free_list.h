#pragma once
#include <cstddef>
#include <new>

namespace glassbox {

// The sanitizer finds a use after free only in memory that is really freed.
#if !defined(__has_feature)
#define __has_feature(feature) 0  // clang's way to ask; g++ has the macro
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
inline constexpr bool memory_is_reused = false;
#else
inline constexpr bool memory_is_reused = true;
#endif

// Memory for small objects of one size, which come and go with every op: each thread reuses its own.
// Give a class its operator new and delete with it.
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
        if (!memory_is_reused || list.count == list.most) return ::operator delete(memory);
        if (!list.first) free_at_the_end_of_the_thread();
        list.first = new (memory) Block{list.first};
        ++list.count;
    }

  private:
    struct Block {
        Block* next;
    };
    struct Blocks {
        Block* first = nullptr;
        std::size_t count = 0, most = 16384;
    };
    static Blocks& blocks() {
        static thread_local Blocks instance;
        return instance;
    }

    // Blocks itself has no destructor: what static objects give back after the thread's end still finds it.
    struct Last {
        ~Last() {
            Blocks& list = blocks();
            list.most = list.count = 0;
            while (Block* block = list.first) {
                list.first = block->next;
                ::operator delete(block);
            }
        }
    };
    static void free_at_the_end_of_the_thread() {
        static thread_local Last last;
        static_cast<void>(last);
    }
};

}  // namespace glassbox
