#include <glassbox/backend/parallel.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

#include <glassbox/backend/detail/asked_threads.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

namespace {

using Body = std::function<void(index_t, index_t)>;

// One call of parallel_for: each free thread takes the next chunk, until none is left.
class Job {
  public:
    Job(index_t count, index_t grain, const Body& body) : count_(count), grain_(grain), body_(body) {}

    void work() {
        for (;;) {
            const index_t begin = next_.fetch_add(grain_, std::memory_order_relaxed);
            if (begin >= count_) return;
            try {
                body_(begin, std::min(begin + grain_, count_));
            } catch (...) {
                keep_exception();
            }
        }
    }

    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

  private:
    void keep_exception() {
        next_ = count_;  // cancels the chunks that have not been started
        const std::lock_guard<std::mutex> lock(error_mutex_);
        if (!error_) error_ = std::current_exception();
    }

    const index_t count_, grain_;
    const Body& body_;
    std::atomic<index_t> next_{0};
    std::mutex error_mutex_;
    std::exception_ptr error_;
};

// Whether this thread is inside a chunk: nested calls then run on this thread only.
bool& inside_chunk() {
    thread_local bool inside = false;
    return inside;
}

void run_on_this_thread(Job& job) {
    const bool before = std::exchange(inside_chunk(), true);
    job.work();
    inside_chunk() = before;
}

void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

// Spins until `done` holds, which is noticed within about 0.1 µs; false on timeout.
template <class Condition>
bool spin_until(Condition done) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::microseconds(50);
    do {
        for (int i = 0; i < 64; ++i) {
            if (done()) return true;
            relax();
        }
    } while (Clock::now() < end);
    return false;
}

// The thread pool behind parallel_for. Workers are started on demand, spin for about 50 µs after their last
// job, then sleep. The caller never waits for a worker to wake up: if all are asleep, it does all the work
// itself. (A forked child has no workers: fork before the first heavy kernel, or call set_num_threads(1) in
// the child.)
class ThreadPool {
  public:
    // One job at a time: a second thread that calls during a job gets false and works alone.
    bool try_run(Job& job, int workers) {
        const std::unique_lock<std::mutex> owner(owner_, std::try_to_lock);
        if (!owner) return false;
        start(workers);
        workers_ = workers;
        job_ = &job;
        ++calls_;
        if (sleeping_ > 0) wake();
        run_on_this_thread(job);
        // First close the job, then wait for the active workers: a worker counts itself active before it
        // reads job_, so that it is either waited for here or finds no job.
        job_ = nullptr;
        const auto all_idle = [this] { return active_ == 0; };
        while (!spin_until(all_idle)) std::this_thread::yield();
        return true;
    }

  private:
    void start(int workers) {
        for (; started_ < workers; ++started_) {
            try {
                std::thread(&ThreadPool::work, this, started_, calls_.load()).detach();
            } catch (const std::system_error&) {
                return;  // the system has no more threads: continue with those already started
            } catch (const std::bad_alloc&) {
                return;
            }
        }
    }

    void wake() {
        { const std::lock_guard<std::mutex> lock(sleep_mutex_); }
        wake_up_.notify_all();
    }

    [[noreturn]] void work(int index, unsigned calls_seen) {
        inside_chunk() = true;
        const auto called = [&] { return calls_ != calls_seen; };
        for (;;) {
            if (!spin_until(called)) {
                std::unique_lock<std::mutex> lock(sleep_mutex_);
                ++sleeping_;
                wake_up_.wait(lock, called);
                --sleeping_;
            }
            calls_seen = calls_;
            ++active_;
            if (Job* job = job_; job && index < workers_) job->work();
            --active_;
        }
    }

    std::mutex owner_;
    int started_ = 0;
    std::atomic<Job*> job_{nullptr};
    std::atomic<int> workers_{0}, active_{0}, sleeping_{0};
    std::atomic<unsigned> calls_{0};
    std::mutex sleep_mutex_;
    std::condition_variable wake_up_;
};

// Never destroyed: workers may use it until the process ends.
ThreadPool& thread_pool() {
    static ThreadPool* const pool = new ThreadPool;
    return *pool;
}

int usable_cores() {
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(CPU_COUNT(&set), 1);
#endif
    return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

int initial_threads() {
    const int asked = asked_threads(std::getenv("GLASSBOX_NUM_THREADS"));
    return asked > 0 ? asked : usable_cores();
}

std::atomic<int>& thread_count() {
    static std::atomic<int> count = initial_threads();
    return count;
}

std::atomic<int>& max_threads() {
    static std::atomic<int> max = INT_MAX;
    return max;
}

}  // namespace

int detail::asked_threads(const char* text) {
    if (!text || !*text) return 0;
    int count = 0;
    const char* end = text + std::strlen(text);
    const auto [rest, error] = std::from_chars(text, end, count);
    if (error != std::errc() || rest != end || count < 1)
        fail<UsageError>("GLASSBOX_NUM_THREADS: expected a whole number of at least 1, got '{}'", text);
    return count;
}

int num_threads() { return std::min(static_cast<int>(thread_count()), static_cast<int>(max_threads())); }

void set_num_threads(int count) {
    if (count < 1) fail<UsageError>("set_num_threads: needs at least 1, got {}", count);
    thread_count() = count;
}

void limit_threads(int max) {
    if (max < 1) fail<UsageError>("limit_threads: needs at least 1, got {}", max);
    max_threads() = max;
}

void parallel_for(index_t count, index_t grain, const Body& body) {
    if (count <= 0) return;
    if (count <= grain) return body(0, count);
    grain = std::max<index_t>(grain, 1);
    Job job(count, grain, body);
    const index_t others = (count - 1) / grain;  // chunks besides the caller's first
    const int workers = inside_chunk() ? 0 : static_cast<int>(std::min<index_t>(num_threads() - 1, others));
    if (workers == 0 || !thread_pool().try_run(job, workers)) run_on_this_thread(job);
    job.rethrow();
}

void on_threads(int others, const std::function<void()>& work) {
    std::mutex mutex;
    std::exception_ptr failed;
    const auto guarded = [&] {
        try {
            work();
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex);
            if (!failed) failed = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    try {
        threads.reserve(static_cast<std::size_t>(std::max(others, 0)));
        for (int i = 0; i < others; ++i) threads.emplace_back(guarded);
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    guarded();
    for (std::thread& thread : threads) thread.join();
    if (failed) std::rethrow_exception(failed);
}

}  // namespace glassbox
