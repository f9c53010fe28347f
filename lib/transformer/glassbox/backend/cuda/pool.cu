#include <glassbox/backend/cuda/pool.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <mutex>
#include <string>
#include <unordered_map>

#include <glassbox/backend/cuda/check.h>
#include <glassbox/backend/cuda/gpu.h>
#include <glassbox/backend/cuda/launch.h>
#include <glassbox/backend/cuda/stream.h>
#include <glassbox/backend/recording.h>
#include <glassbox/tensor/detail/free_list.h>
#include <glassbox/tensor/memory.h>

namespace glassbox {

using namespace detail;

namespace {

std::string gigabytes(std::size_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f GB", static_cast<double>(bytes) / 1e9);
    return text;
}

[[noreturn]] void fail_out_of_memory(std::size_t bytes, std::size_t in_use) {
    std::size_t free = 0, all = 0;
    static_cast<void>(cudaMemGetInfo(&free, &all));
    throw Error("memory: cuda has no " + gigabytes(bytes) + " left for a tensor: " + gigabytes(free) +
                " of " + gigabytes(all) + " are free, and this program's tensors hold " + gigabytes(in_use));
}

__global__ void fill_all(real* block, real value, index_t count) {
    for (index_t i = first_item(); i < count; i += item_step()) block[i] = value;
}

}  // namespace

// The GPU's caching allocator. cudaMalloc takes as long as many kernels, and cudaFree waits for all of them,
// so released blocks are cached. A block can be reused immediately, even before the kernels that use it
// have run: its next user's kernels are enqueued on the same stream, after them.
class Pool : public Memory {
  public:
    void* allocate(std::size_t bytes) override {
        const SizeClass block_class = size_class(bytes);
        const std::lock_guard<std::mutex> lock(mutex_);
        std::vector<void*>& list = (current_ ? current_->free_ : free_)[block_class.index];
        void* block = nullptr;
        if (memory_is_reused && !list.empty()) {
            block = list.back();
            list.pop_back();
        } else {
            block = allocate_new(memory_is_reused ? block_class.bytes : bytes);
            use_.held += block_class.bytes;
            if (current_) private_[block] = current_;
        }
        use_.in_use += block_class.bytes;
        use_.peak_in_use = std::max(use_.peak_in_use, use_.in_use);
        return block;
    }

    void release(void* block, std::size_t bytes) noexcept override {
        const SizeClass block_class = size_class(bytes);
        const std::lock_guard<std::mutex> lock(mutex_);
        use_.in_use -= block_class.bytes;
        const auto owned = private_.find(block);
        FreeBlocks& lists = owned == private_.end() ? free_ : owned->second->free_;
        try {
            if (!memory_is_reused && owned == private_.end()) free_block(block, block_class.bytes);
            else lists[block_class.index].push_back(block);
        } catch (...) {  // the list could not grow: free the block instead
            free_block(block, block_class.bytes);
        }
    }

    MemoryUse use() override {
        const std::lock_guard<std::mutex> lock(mutex_);
        return use_;
    }
    void reset_peak_use() override {
        const std::lock_guard<std::mutex> lock(mutex_);
        use_.peak_in_use = use_.in_use;
    }

    // Both block until the copy is complete. The host memory is pageable.
    void to_host(void* host, const void* block, std::size_t bytes) override {
        Recording::refuse("copy to the host");
        check(cudaMemcpyAsync(host, block, bytes, cudaMemcpyDeviceToHost, current_stream()),
              "copy to the host");
        main_stream().wait();
    }
    void from_host(void* block, const void* host, std::size_t bytes) override {
        Recording::refuse("copy from the host");
        check(cudaMemcpyAsync(block, host, bytes, cudaMemcpyHostToDevice, current_stream()),
              "copy from the host");
        main_stream().wait();
    }

    void fill(real* block, real value, index_t count) override {
        launch("fill", for_each_item(count), fill_all, block, value, count);
    }

    void release_cached() {
        const std::lock_guard<std::mutex> lock(mutex_);
        free_cached();
    }

    void allocate_from(PrivateMemory* memory) {
        const std::lock_guard<std::mutex> lock(mutex_);
        current_ = memory;
    }

    void reclaim(PrivateMemory& memory) {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto entry = private_.begin(); entry != private_.end();)
            entry = entry->second == &memory ? private_.erase(entry) : std::next(entry);
        for (std::size_t i = 0; i < SizeClass::count; ++i)
            for (void* block : memory.free_[i])
                if (memory_is_reused) free_[i].push_back(block);
                else free_block(block, bytes_of_class(i));
    }

  private:
    // A new block from CUDA; if it is out of memory, frees the cached blocks and tries again.
    void* allocate_new(std::size_t bytes) {
        use_gpu();
        void* block = nullptr;
        cudaError_t status = cudaMalloc(&block, bytes == 0 ? 1 : bytes);
        if (status == cudaErrorMemoryAllocation && !current_) {
            static_cast<void>(cudaGetLastError());
            free_cached();
            status = cudaMalloc(&block, bytes == 0 ? 1 : bytes);
        }
        if (status == cudaErrorMemoryAllocation) {
            static_cast<void>(cudaGetLastError());
            fail_out_of_memory(bytes, use_.in_use);
        }
        check(status, "memory");
        return block;
    }

    void free_cached() {
        main_stream().wait();
        for (std::size_t i = 0; i < SizeClass::count; ++i) {
            for (void* block : free_[i]) free_block(block, bytes_of_class(i));
            free_[i].clear();
        }
    }

    void free_block(void* block, std::size_t bytes) noexcept {
        static_cast<void>(cudaFree(block));
        use_.held -= bytes;
    }

    std::mutex mutex_;
    FreeBlocks free_;
    PrivateMemory* current_ = nullptr;
    std::unordered_map<void*, PrivateMemory*> private_;  // the owners of private blocks
    MemoryUse use_;
};

namespace {
// Never destroyed: CUDA may be shut down before the last tensor is destroyed at program exit.
Pool& pool() {
    use_gpu();
    static Pool* const instance = new Pool;
    return *instance;
}
}  // namespace

void release_cached_memory() { pool().release_cached(); }
PrivateMemory::~PrivateMemory() { pool().reclaim(*this); }
PrivateMemory::Use::Use(PrivateMemory& memory) { pool().allocate_from(&memory); }
PrivateMemory::Use::~Use() { pool().allocate_from(nullptr); }

Memory* cuda_memory() { return &pool(); }

}  // namespace glassbox
