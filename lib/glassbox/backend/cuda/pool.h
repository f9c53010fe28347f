#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include <glassbox/tensor/detail/size_class.h>

namespace glassbox {

using FreeBlocks = std::array<std::vector<void*>, SizeClass::count>;

// Gives back to CUDA what is kept for reuse: a graph that is recorded wants memory of its own.
void give_back_kept_memory();

// Memory that only one Graph uses: a block that is given back while it is recorded serves it again, and
// nobody else, for as long as it may be launched.
class PrivateMemory {
  public:
    PrivateMemory() = default;
    ~PrivateMemory();  // to the pool; a tensor that still holds a block gives it there later
    PrivateMemory(const PrivateMemory&) = delete;
    PrivateMemory& operator=(const PrivateMemory&) = delete;

    // While one lives, all memory asked for is this.
    class Use {
      public:
        explicit Use(PrivateMemory& memory);
        ~Use();
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;
    };

  private:
    friend class Pool;
    FreeBlocks free_;
};

}  // namespace glassbox
