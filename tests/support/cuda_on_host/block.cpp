// Runs the threads of a block on one host thread. A kernel thread runs until it waits for others; then the
// next one starts, on another stack. A thread that never waits passes its stack on: without barriers a block
// costs one context switch, not one per thread. The order is shuffled, differently each time.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <numeric>
#include <vector>

#include "fiber.h"
#include "include/cuda_on_host/control.h"
#include "include/cuda_on_host/threads.h"
#include "kernel.h"

uint3 threadIdx;
uint3 blockIdx;
dim3 blockDim;
dim3 gridDim;

namespace cuda_on_host {

unsigned long long block_number = 0;

namespace {

constexpr unsigned max_threads = 1024, max_warps = max_threads / lanes;

struct Runner : Fiber {  // a stack, and the kernel thread on it
    uint3 index = {};    // its threadIdx while it waits
    unsigned thread = 0;
};

struct Warp {
    unsigned arrived = 0, round = 0;
    Meeting kind = Meeting::sync;
    std::array<Runner*, lanes> waiting;
    // Double-buffered: a lane may be in the next round before all have read this one's values.
    std::array<std::array<std::uint64_t, lanes>, 2> values;
};

// A single instance: one block runs at a time. begin_block() resets its state.
struct Block {
    const Kernel* kernel = nullptr;
    unsigned threads = 0, started = 0, finished = 0, at_barrier = 0, ready_first = 0, ready_last = 0;
    unsigned warp_count = 0, warp_shift = 0, lane_flip = 0, next_place = 0;
    std::array<Runner*, max_threads> barrier;
    std::array<Runner*, max_threads> ready;  // a ring buffer
    std::array<Warp, max_warps> warps;
    std::array<unsigned char, max_warps> warp_order;
    std::array<unsigned char, lanes> lane_order;
    std::size_t static_shared = 0;
    std::uint64_t sum = 0, last_sum = 0;  // of sync_block_sum
    std::string fault;
};
Block block;

Runner host;  // the launching thread's stack
Runner* current = &host;
std::deque<std::unique_ptr<Runner>> runners;
std::vector<Runner*> idle;

std::uint64_t& seed() {
    static std::uint64_t value = [] {
        const char* text = std::getenv("GLASSBOX_CUDA_ON_HOST_SEED");
        return text ? std::strtoull(text, nullptr, 10) : 1ull;
    }();
    return value;
}
Shuffler& shuffler() {
    static Shuffler instance(seed());
    return instance;
}
std::string fault_text;
bool quiet = false;
Meetings met;

void go_to(Runner* next) {
    Runner* self = current;
    if (next == self) return;
    self->index = threadIdx;
    current = next;
    threadIdx = next->index;
    jump(*self, *next);
}

void make_ready(Runner* runner) { block.ready[block.ready_last++ % max_threads] = runner; }
bool has_ready() { return block.ready_first != block.ready_last; }

// Warps in shuffled order, and lanes in shuffled order within each, so that lanes that synchronise start
// together.
bool next_thread(Runner& runner) {
    while (block.started < block.threads) {
        const unsigned place = block.next_place++;
        unsigned w = place / lanes + block.warp_shift;
        if (w >= block.warp_count) w -= block.warp_count;
        const unsigned thread =
            block.warp_order[w] * lanes + (block.lane_order[place % lanes] ^ block.lane_flip);
        if (thread >= block.threads) continue;
        ++block.started;
        const dim3& size = block.kernel->block;
        runner.thread = thread;
        if (size.y == 1 && size.z == 1) threadIdx = {thread, 0, 0};
        else threadIdx = {thread % size.x, thread / size.x % size.y, thread / (size.x * size.y)};
        return true;
    }
    return false;
}

[[noreturn]] void run_threads();

Runner* idle_runner() {
    if (idle.empty()) {
        runners.push_back(std::make_unique<Runner>());
        make_fiber(*runners.back(), runners.size(), run_threads);
        return runners.back().get();
    }
    Runner* runner = idle.back();
    idle.pop_back();
    return runner;
}

void open_barrier() {
    ++met.barriers;
    const bool backwards = shuffler().next() >> 63;
    if (backwards) std::reverse(block.barrier.begin(), block.barrier.begin() + block.at_barrier);
    for (unsigned i = 0; i < block.at_barrier; ++i) make_ready(block.barrier[i]);
    block.at_barrier = 0;
    block.last_sum = block.sum;
    block.sum = 0;
}

// The next runner. None when the block is done or in a deadlock; then the host continues.
Runner* next_runner() {
    if (has_ready()) return block.ready[block.ready_first++ % max_threads];
    if (block.started < block.threads) return idle_runner();
    return &host;
}

void wait() { go_to(next_runner()); }

// The main loop of every stack: runs threads one after another.
void run_threads() {
    landed();
    while (true) {
        while (!has_ready() && next_thread(*current)) {
            block.kernel->run_thread(block.kernel->held.get());
            ++block.finished;
        }
        idle.push_back(current);
        go_to(next_runner());
    }
}

std::string place(unsigned thread) {
    return "thread " + std::to_string(thread) + " of block (" + std::to_string(blockIdx.x) + ", " +
           std::to_string(blockIdx.y) + ", " + std::to_string(blockIdx.z) + ")";
}

// A deadlock: all unfinished threads wait, but not for the same thing.
std::string describe_deadlock() {
    std::string text;
    if (block.at_barrier > 0)
        text += std::to_string(block.at_barrier) + " threads wait at __syncthreads, such as " +
                place(block.barrier[0]->thread);
    for (unsigned w = 0; w < block.warp_count; ++w) {
        const Warp& warp = block.warps[w];
        if (warp.arrived == 0) continue;
        text += (text.empty() ? "" : "; ") + std::to_string(warp.arrived) + " of 32 lanes of warp " +
                std::to_string(w) + " wait for the others at a warp primitive, such as " +
                place(warp.waiting[0]->thread);
    }
    return text + "; " + std::to_string(block.finished) + " of " + std::to_string(block.threads) +
           " threads have ended: what waits for all must be reached by all";
}

// Restarts the stacks of threads left waiting.
void forget_runners() {
    idle.clear();
    for (std::size_t i = 0; i < runners.size(); ++i) {
        restart_fiber(*runners[i], i + 1, run_threads);
        idle.push_back(runners[i].get());
    }
}

void shuffle_order() {
    block.warp_count = (block.threads + lanes - 1) / lanes;
    std::iota(block.warp_order.begin(), block.warp_order.begin() + block.warp_count, 0);
    std::iota(block.lane_order.begin(), block.lane_order.end(), 0);
    for (unsigned i = block.warp_count; i > 1; --i)
        std::swap(block.warp_order[i - 1], block.warp_order[shuffler().below(i)]);
    for (unsigned i = lanes; i > 1; --i)
        std::swap(block.lane_order[i - 1], block.lane_order[shuffler().below(i)]);
}

void begin_block() {
    block.started = block.finished = block.at_barrier = block.ready_first = block.ready_last = 0;
    block.next_place = 0;
    block.sum = block.last_sum = 0;
    block.warp_shift = shuffler().below(block.warp_count);
    block.lane_flip = shuffler().below(lanes);
    for (unsigned w = 0; w < block.warp_count; ++w) block.warps[w].arrived = 0;
    block.static_shared = 0;
    ++block_number;
}

// Dynamic shared memory of exactly the requested size, so that a sanitizer detects out-of-bounds accesses.
class SharedMemory {
  public:
    explicit SharedMemory(std::size_t bytes) : bytes_(bytes) {
        if (bytes > 0 && posix_memalign(&memory_, 128, bytes) != 0) std::abort();
    }
    ~SharedMemory() { std::free(memory_); }
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;
    void* get() const { return memory_; }
    void forget() const {
        if (memory_) std::memset(memory_, garbage, bytes_);
    }

  private:
    std::size_t bytes_;
    void* memory_ = nullptr;
};
const SharedMemory* dynamic_memory = nullptr;

// False on an error.
bool run_block() {
    begin_block();
    dynamic_memory->forget();
    current = &host;
    go_to(idle_runner());
    if (block.fault.empty() && block.finished != block.threads) block.fault = describe_deadlock();
    return block.fault.empty();
}

// Block i · step + start modulo their count: each once, in permuted order.
void run_blocks(const dim3& grid) {
    const std::uint64_t count = std::uint64_t(grid.x) * grid.y * grid.z;
    std::uint64_t step = 1 + shuffler().next() % count, i = shuffler().next() % count;
    while (std::gcd(step, count) != 1) step = step % count + 1;
    for (std::uint64_t n = 0; n < count; ++n) {
        blockIdx = {static_cast<unsigned>(i % grid.x), static_cast<unsigned>(i / grid.x % grid.y),
                    static_cast<unsigned>(i / grid.x / grid.y)};
        if (!run_block()) return;
        i = i >= count - step ? i - (count - step) : i + step;
    }
}

}  // namespace

cudaError_t run(const Kernel& kernel) {
    const SharedMemory memory(kernel.shared);
    dynamic_memory = &memory;
    host = Runner();
    block.kernel = &kernel;
    block.threads = kernel.block.x * kernel.block.y * kernel.block.z;
    block.fault.clear();
    blockDim = kernel.block;
    gridDim = kernel.grid;
    shuffle_order();
    run_blocks(kernel.grid);
    dynamic_memory = nullptr;
    if (block.fault.empty()) return cudaSuccess;
    forget_runners();
    report_fault("kernel " + name_of(kernel.function) + ": " + block.fault);
    return cudaErrorLaunchFailure;
}

void fail_kernel(std::string what) {
    block.fault = place(current->thread) + " " + what;
    std::string().swap(what);   // destructors on this stack never run
    while (true) go_to(&host);  // never returns
}

int lane() { return static_cast<int>(current->thread % lanes); }

void* dynamic_shared_memory() {
    if (!dynamic_memory->get()) fail_kernel("uses dynamic shared memory, and the launch asked for none");
    return dynamic_memory->get();
}

void use_static_shared(std::size_t bytes) {
    block.static_shared += bytes;
    const std::size_t all = block.static_shared + block.kernel->shared;
    if (all > block.kernel->shared_limit)
        fail_kernel("uses " + std::to_string(block.static_shared) + " bytes of static and " +
                    std::to_string(block.kernel->shared) + " of dynamic shared memory, more than " +
                    std::to_string(block.kernel->shared_limit));
}

void sync_block() {
    block.barrier[block.at_barrier++] = current;
    if (block.at_barrier == block.threads) open_barrier();
    wait();
}

std::uint64_t sync_block_sum(bool predicate) {
    block.sum += predicate;
    sync_block();
    return block.last_sum;
}

const std::uint64_t* meet(Meeting kind, unsigned mask, std::uint64_t value) {
    if (mask != all_lanes) fail_kernel("names a part of its warp: only the full mask is provided for");
    Warp& warp = block.warps[current->thread / lanes];
    if (warp.arrived > 0 && warp.kind != kind)
        fail_kernel("is at another warp primitive than the lanes that wait for it");
    auto& values = warp.values[warp.round % 2];
    values[current->thread % lanes] = value;
    warp.kind = kind;
    warp.waiting[warp.arrived++] = current;
    if (warp.arrived < lanes) {
        wait();
    } else {
        for (unsigned i = 0; i + 1 < lanes; ++i) make_ready(warp.waiting[i]);
        warp.arrived = 0;
        ++warp.round;
        met.shuffles += kind == Meeting::shuffle;
    }
    return values.data();
}

void set_seed(std::uint64_t value) {
    seed() = value;
    shuffler() = Shuffler(value);
}
void report_fault(const std::string& text) {
    fault_text = text;
    if (!quiet) std::fprintf(stderr, "cuda on host: %s\n", text.c_str());
}
const std::string& last_fault() { return fault_text; }
void report_faults_quietly(bool quietly) { quiet = quietly; }
const Meetings& meetings() { return met; }
void reset_meetings() { met = {}; }

}  // namespace cuda_on_host
