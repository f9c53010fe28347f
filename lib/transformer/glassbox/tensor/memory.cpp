#include <glassbox/tensor/memory.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <sys/mman.h>

#include <glassbox/tensor/detail/free_list.h>
#include <glassbox/tensor/detail/size_class.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

// Defined in backend/cuda or no_cuda, depending on the build. Throws with the reason if it is missing.
Memory* cuda_memory();

namespace {

// A cache line, the widest vector register, and the size of the smallest block.
constexpr std::size_t alignment = SizeClass::min_bytes;
constexpr std::size_t max_cached = std::size_t{256} << 20;  // bytes one thread keeps for reuse

// A large block uses the system's large pages, if available: each is one page fault instead of 512, and one
// entry of the TLB.
constexpr std::size_t large_page = std::size_t{2} << 20, large_block = 2 * large_page;

// A block of `size_class_bytes`, of which `bytes` are requested. Under AddressSanitizer it has only those: a
// read past a tensor's last number is noticed.
void* new_block(std::size_t bytes, std::size_t size_class_bytes) {
    if constexpr (!memory_is_reused) {
        void* block = nullptr;
        return ::posix_memalign(&block, alignment, bytes) == 0 ? block : nullptr;
    }
    const std::size_t unit = size_class_bytes >= large_block ? large_page : alignment;
    const std::size_t size = (size_class_bytes + unit - 1) / unit * unit;
    void* const block = std::aligned_alloc(unit, size);
#ifdef MADV_HUGEPAGE
    if (block && unit == large_page) ::madvise(block, size, MADV_HUGEPAGE);
#endif
    return block;
}

struct Pool {
    std::array<std::vector<void*>, SizeClass::count> blocks;
    std::size_t cached = 0;
    ~Pool();
};

// A tensor may outlive its thread's pool (a static one does); its block is then freed directly.
thread_local bool pool_is_destroyed = false;

Pool::~Pool() {
    pool_is_destroyed = true;
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
        if (bytes > PTRDIFF_MAX / 2) fail("memory: {} bytes are more than can be allocated", bytes);
        const SizeClass block_class = size_class(bytes);
        if (memory_is_reused && !pool_is_destroyed) {
            auto& list = pool().blocks[block_class.index];
            if (!list.empty()) {
                void* block = list.back();
                list.pop_back();
                pool().cached -= block_class.bytes;
                return block;
            }
        }
        if (void* block = new_block(bytes, block_class.bytes)) return block;
        throw OutOfMemory(block_class.bytes);
    }

    void release(void* block, std::size_t bytes) noexcept override {
        const SizeClass block_class = size_class(bytes);
        if (memory_is_reused && !pool_is_destroyed && pool().cached + block_class.bytes <= max_cached) {
            try {
                pool().blocks[block_class.index].push_back(block);
                pool().cached += block_class.bytes;
                return;
            } catch (...) {  // the list could not grow: free the block instead
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

using Registry = std::array<std::atomic<Memory*>, 4>;  // by Device
Registry& registry() {
    static Registry instance = {&cpu_memory(), nullptr, &cpu_memory(), nullptr};  // xtensor's is the host's
    return instance;
}

}  // namespace

Memory& cpu_memory() {
    static CpuMemory instance;
    return instance;
}

Memory& memory(Device device) {
    Memory* registered = registry()[static_cast<std::size_t>(device)];
    if (!registered && device == Device::cuda) set_memory(device, registered = cuda_memory());
    if (!registered) fail("memory: device {} is not available in this program", name(device));
    return *registered;
}

void set_memory(Device device, Memory* memory) { registry()[static_cast<std::size_t>(device)] = memory; }

}  // namespace glassbox
