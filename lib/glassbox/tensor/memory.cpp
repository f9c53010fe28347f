#include <glassbox/tensor/memory.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <glassbox/tensor/detail/free_list.h>
#include <glassbox/tensor/detail/size_class.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

// From backend/cuda or backend/no_cuda, whichever this build holds; throws with the reason when there is
// none.
Memory* cuda_memory();

namespace {

// A cache line, and the widest vector register: what the smallest block has.
constexpr std::size_t alignment = SizeClass::least;
constexpr std::size_t most_cached = std::size_t{256} << 20;  // bytes one thread keeps for reuse

struct Pool {
    std::array<std::vector<void*>, SizeClass::count> blocks;
    std::size_t cached = 0;
    ~Pool();
};

// A tensor may outlive its thread's pool (a static one does): after that its block goes straight back.
thread_local bool pool_is_gone = false;

Pool::~Pool() {
    pool_is_gone = true;
    for (auto& list : blocks)
        for (void* block : list) std::free(block);
}

Pool& pool() {
    static thread_local Pool instance;
    return instance;
}

class CpuMemory : public Memory {
  public:
    void* allocate(std::size_t bytes) override {
        if (bytes > PTRDIFF_MAX / 2) fail("memory: {} bytes are more than can be asked for", bytes);
        const SizeClass wanted = size_class(bytes);
        if (memory_is_reused && !pool_is_gone) {
            auto& list = pool().blocks[wanted.index];
            if (!list.empty()) {
                void* block = list.back();
                list.pop_back();
                pool().cached -= wanted.bytes;
                return block;
            }
        }
        const std::size_t size = (wanted.bytes + alignment - 1) / alignment * alignment;
        if (void* block = std::aligned_alloc(alignment, size)) return block;
        fail("memory: no {:.1f} GB left for a tensor", static_cast<double>(size) / 1e9);
    }

    void release(void* block, std::size_t bytes) noexcept override {
        const SizeClass have = size_class(bytes);
        if (memory_is_reused && !pool_is_gone && pool().cached + have.bytes <= most_cached) {
            try {
                pool().blocks[have.index].push_back(block);
                pool().cached += have.bytes;
                return;
            } catch (...) {  // no memory to remember the block: give it back instead
            }
        }
        std::free(block);
    }

    void to_host(void* host, const void* block, std::size_t bytes) override {
        std::memcpy(host, block, bytes);
    }
    void from_host(void* block, const void* host, std::size_t bytes) override {
        std::memcpy(block, host, bytes);
    }
    void fill(real* block, real value, index_t count) override { std::fill_n(block, count, value); }
};

using Seats = std::array<std::atomic<Memory*>, 3>;
Seats& seats() {
    static Seats instance = {&cpu_memory(), nullptr, nullptr};
    return instance;
}

}  // namespace

Memory& cpu_memory() {
    static CpuMemory instance;
    return instance;
}

Memory& memory(Device device) {
    Memory* seated = seats()[static_cast<std::size_t>(device)];
    if (!seated && device == Device::cuda) set_memory(device, seated = cuda_memory());
    if (!seated) fail("memory: device {} is not available in this program", name(device));
    return *seated;
}

void set_memory(Device device, Memory* memory) { seats()[static_cast<std::size_t>(device)] = memory; }

}  // namespace glassbox
