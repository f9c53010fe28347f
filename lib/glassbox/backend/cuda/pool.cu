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
#include <glassbox/backend/detail/recording.h>
#include <glassbox/tensor/detail/free_list.h>
#include <glassbox/tensor/memory.h>

namespace glassbox {
namespace {

std::string gigabytes(std::size_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f GB", static_cast<double>(bytes) / 1e9);
    return text;
}

[[noreturn]] void fail_for_want_of(std::size_t bytes, std::size_t in_use) {
    std::size_t free = 0, all = 0;
    static_cast<void>(cudaMemGetInfo(&free, &all));
    throw Error("memory: cuda has no " + gigabytes(bytes) + " left for a tensor: " + gigabytes(free) +
                " of " + gigabytes(all) + " are free, and this program's tensors hold " + gigabytes(in_use));
}

__global__ void fill_all(real* block, real value, index_t count) {
    for (index_t i = first_item(); i < count; i += item_step()) block[i] = value;
}

}  // namespace

// The GPU's memory. Asking CUDA for some takes as long as many kernels, and giving it back waits for all of
// them: so blocks are kept for reuse. A block may be handed out again at once, though kernels that use it
// have not run yet: whoever gets it puts his own into the same stream, behind them.
class Pool : public Memory {
  public:
    void* allocate(std::size_t bytes) override {
        const SizeClass wanted = size_class(bytes);
        const std::lock_guard<std::mutex> lock(mutex_);
        std::vector<void*>& list = (current_ ? current_->free_ : free_)[wanted.index];
        void* block = nullptr;
        if (memory_is_reused && !list.empty()) {
            block = list.back();
            list.pop_back();
        } else {
            block = fresh(memory_is_reused ? wanted.bytes : bytes);
            use_.held += wanted.bytes;
            if (current_) private_[block] = current_;
        }
        use_.in_use += wanted.bytes;
        use_.most_in_use = std::max(use_.most_in_use, use_.in_use);
        return block;
    }

    void release(void* block, std::size_t bytes) noexcept override {
        const SizeClass have = size_class(bytes);
        const std::lock_guard<std::mutex> lock(mutex_);
        use_.in_use -= have.bytes;
        const auto owned = private_.find(block);
        FreeBlocks& lists = owned == private_.end() ? free_ : owned->second->free_;
        try {
            if (!memory_is_reused && owned == private_.end()) drop(block, have.bytes);
            else lists[have.index].push_back(block);
        } catch (...) {  // no memory to remember the block: give it back instead
            drop(block, have.bytes);
        }
    }

    MemoryUse use() override {
        const std::lock_guard<std::mutex> lock(mutex_);
        return use_;
    }
    void forget_most() override {
        const std::lock_guard<std::mutex> lock(mutex_);
        use_.most_in_use = use_.in_use;
    }

    // Both return when the numbers are there. The host's memory is an ordinary vector.
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

    void give_back_kept() {
        const std::lock_guard<std::mutex> lock(mutex_);
        give_back();
    }

    void use_only(PrivateMemory* memory) {
        const std::lock_guard<std::mutex> lock(mutex_);
        current_ = memory;
    }

    void take_back(PrivateMemory& memory) {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto entry = private_.begin(); entry != private_.end();)
            entry = entry->second == &memory ? private_.erase(entry) : std::next(entry);
        for (std::size_t i = 0; i < SizeClass::count; ++i)
            for (void* block : memory.free_[i])
                if (memory_is_reused) free_[i].push_back(block);
                else drop(block, bytes_of_class(i));
    }

  private:
    // From CUDA; when it has none, once more after what is kept for reuse has been given back.
    void* fresh(std::size_t bytes) {
        use_gpu();
        void* block = nullptr;
        cudaError_t status = cudaMalloc(&block, bytes == 0 ? 1 : bytes);
        if (status == cudaErrorMemoryAllocation && !current_) {
            static_cast<void>(cudaGetLastError());
            give_back();
            status = cudaMalloc(&block, bytes == 0 ? 1 : bytes);
        }
        if (status == cudaErrorMemoryAllocation) {
            static_cast<void>(cudaGetLastError());
            fail_for_want_of(bytes, use_.in_use);
        }
        check(status, "memory");
        return block;
    }

    void give_back() {
        main_stream().wait();
        for (std::size_t i = 0; i < SizeClass::count; ++i) {
            for (void* block : free_[i]) drop(block, bytes_of_class(i));
            free_[i].clear();
        }
    }

    void drop(void* block, std::size_t bytes) noexcept {
        static_cast<void>(cudaFree(block));
        use_.held -= bytes;
    }

    std::mutex mutex_;
    FreeBlocks free_;
    PrivateMemory* current_ = nullptr;
    std::unordered_map<void*, PrivateMemory*> private_;  // whose a block is, where it is somebody's
    MemoryUse use_;
};

namespace {
// Never destroyed: at the program's end CUDA may be gone before the last tensor.
Pool& pool() {
    use_gpu();
    static Pool* const instance = new Pool;
    return *instance;
}
}  // namespace

void give_back_kept_memory() { pool().give_back_kept(); }
PrivateMemory::~PrivateMemory() { pool().take_back(*this); }
PrivateMemory::Use::Use(PrivateMemory& memory) { pool().use_only(&memory); }
PrivateMemory::Use::~Use() { pool().use_only(nullptr); }

Memory* cuda_memory() { return &pool(); }

}  // namespace glassbox
