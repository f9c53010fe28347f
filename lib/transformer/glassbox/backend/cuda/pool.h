#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include <glassbox/tensor/detail/size_class.h>

namespace glassbox {

using FreeBlocks = std::array<std::vector<void*>, detail::SizeClass::count>;

// Returns cached blocks to CUDA: a graph to be recorded needs its own memory.
void release_cached_memory();

// Memory private to one Graph: blocks released during the recording are reused only within it, for as long as
// the graph may be launched.
class PrivateMemory {
  public:
    PrivateMemory() = default;
    ~PrivateMemory();  // returns the blocks to the pool; those that tensors still hold follow later
    PrivateMemory(const PrivateMemory&) = delete;
    PrivateMemory& operator=(const PrivateMemory&) = delete;

    // During its lifetime all allocations come from this memory.
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
