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
#include <system_error>
#include <thread>
#include <utility>

#ifdef __linux__
#include <sched.h>
#endif

#include <glassbox/tensor/format.h>

namespace glassbox {

namespace {

using Body = std::function<void(index_t, index_t)>;

// One call of parallel_for: whoever is free takes the next piece, until none is left.
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
        next_ = count_;  // the pieces that nobody has begun are not wanted any more
        const std::lock_guard<std::mutex> lock(error_mutex_);
        if (!error_) error_ = std::current_exception();
    }

    const index_t count_, grain_;
    const Body& body_;
    std::atomic<index_t> next_{0};
    std::mutex error_mutex_;
    std::exception_ptr error_;
};

// Whether this thread is inside a piece: what it calls then runs on it alone.
bool& inside_a_piece() {
    thread_local bool inside = false;
    return inside;
}

void run_alone(Job& job) {
    const bool before = std::exchange(inside_a_piece(), true);
    job.work();
    inside_a_piece() = before;
}

void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

// Waits for `done`, at first without sleeping, which answers in some 0.1 µs; false when that took too long.
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

// Threads that help the caller of parallel_for. They are started when first wanted, look out for work for
// some 50 µs after the last, and then sleep. Nothing waits for a helper that has not come: a caller whose
// helpers are asleep does all the work itself. (A forked child has no helpers: fork before the first heavy
// work, or set_num_threads(1) in the child.)
class Helpers {
  public:
    // One job at a time: a second user thread that calls meanwhile does its work alone.
    bool try_run(Job& job, int wanted) {
        const std::unique_lock<std::mutex> turn(turn_, std::try_to_lock);
        if (!turn) return false;
        start(wanted);
        wanted_ = wanted;
        job_ = &job;
        ++calls_;
        if (sleeping_ > 0) wake();
        run_alone(job);
        // First close the job, then wait for those inside: a helper comes in before it looks whether the job
        // is still there, so that it is either seen here or finds nothing.
        job_ = nullptr;
        const auto all_left = [this] { return inside_ == 0; };
        while (!spin_until(all_left)) std::this_thread::yield();
        return true;
    }

  private:
    void start(int wanted) {
        for (; started_ < wanted; ++started_) {
            try {
                std::thread(&Helpers::help, this, started_, calls_.load()).detach();
            } catch (const std::system_error&) {
                return;  // no more threads to be had: work with those there are
            }
        }
    }

    void wake() {
        { const std::lock_guard<std::mutex> lock(sleep_mutex_); }
        wake_up_.notify_all();
    }

    [[noreturn]] void help(int index, unsigned calls_seen) {
        inside_a_piece() = true;
        const auto called = [&] { return calls_ != calls_seen; };
        for (;;) {
            if (!spin_until(called)) {
                std::unique_lock<std::mutex> lock(sleep_mutex_);
                ++sleeping_;
                wake_up_.wait(lock, called);
                --sleeping_;
            }
            calls_seen = calls_;
            ++inside_;
            if (Job* job = job_; job && index < wanted_) job->work();
            --inside_;
        }
    }

    std::mutex turn_;
    int started_ = 0;
    std::atomic<Job*> job_{nullptr};
    std::atomic<int> wanted_{0}, inside_{0}, sleeping_{0};
    std::atomic<unsigned> calls_{0};
    std::mutex sleep_mutex_;
    std::condition_variable wake_up_;
};

// Never destroyed: helpers may look at it until the very end of the program.
Helpers& helpers() {
    static Helpers* const all = new Helpers;
    return *all;
}

int usable_cores() {
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(CPU_COUNT(&set), 1);
#endif
    return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

int initial_threads() {
    const char* text = std::getenv("GLASSBOX_NUM_THREADS");
    if (!text || !*text) return usable_cores();
    int count = 0;
    const char* end = text + std::strlen(text);
    const auto [rest, error] = std::from_chars(text, end, count);
    if (error != std::errc() || rest != end || count < 1)
        fail<UsageError>("GLASSBOX_NUM_THREADS: must be a whole number of at least 1: \"{}\"", text);
    return count;
}

std::atomic<int>& thread_count() {
    static std::atomic<int> count = initial_threads();
    return count;
}

std::atomic<int>& most_threads() {
    static std::atomic<int> most = INT_MAX;
    return most;
}

}  // namespace

int num_threads() { return std::min(static_cast<int>(thread_count()), static_cast<int>(most_threads())); }

void set_num_threads(int count) {
    if (count < 1) fail<UsageError>("set_num_threads: must be at least 1: {}", count);
    thread_count() = count;
}

void limit_threads(int most) {
    if (most < 1) fail<UsageError>("limit_threads: must be at least 1: {}", most);
    most_threads() = most;
}

void parallel_for(index_t count, index_t grain, const Body& body) {
    if (count <= 0) return;
    if (count <= grain) return body(0, count);
    grain = std::max<index_t>(grain, 1);
    Job job(count, grain, body);
    const index_t others = (count - 1) / grain;  // pieces beside the caller's first
    const int wanted = inside_a_piece() ? 0 : static_cast<int>(std::min<index_t>(num_threads() - 1, others));
    if (wanted == 0 || !helpers().try_run(job, wanted)) run_alone(job);
    job.rethrow();
}

}  // namespace glassbox
