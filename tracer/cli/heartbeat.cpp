#include "cli/heartbeat.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "cli/output.h"

namespace glassbox::tracer {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

double first_delay() {
    double seconds = 6;
    if (const char* text = std::getenv("GLASSBOX_PATIENCE"))
        std::from_chars(text, text + std::strlen(text), seconds);
    return seconds < 1e8 ? seconds : 0;  // years, or no number: never
}

struct Task {
    std::string what;
    index_t parts = 0, done = 0;
    Clock::time_point begin = Clock::now();
};

// State shared by the working thread and the one that prints.
struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::string command;
    std::vector<Task> tasks;  // the innermost last
    Clock::time_point begin, last_output;
    double wait = 0;  // seconds without output until a line is printed; 0: never
    bool ends = false;
    std::thread thread;
};

Shared& shared() {
    static Shared instance;
    return instance;
}

std::string time_left(const Task& task) {
    const double spent = Seconds(Clock::now() - task.begin).count();
    return rough_time(spent / static_cast<double>(task.done) * static_cast<double>(task.parts - task.done));
}

// "tracer attention: 12 s so far: finite differences, run 1310 of 8192, about 40 s left"
std::string line_of(const Shared& s) {
    std::string text = fmt::format("{}: {:.0f} s so far", s.command, Seconds(Clock::now() - s.begin).count());
    if (s.tasks.empty()) return text + "\n";
    const Task& task = s.tasks.back();
    text += ": " + task.what;
    if (task.parts > 0) text += fmt::format(" {} of {}", task.done, task.parts);
    if (task.parts > 0 && task.done > 0) text += ", about " + time_left(task) + " left";
    return text + "\n";
}

// Releases the lock while printing: say() calls note_output(), which takes it.
void watch() {
    Shared& s = shared();
    std::unique_lock<std::mutex> lock(s.mutex);
    while (!s.ends) {
        const Clock::time_point due =
            s.last_output + std::chrono::duration_cast<Clock::duration>(Seconds(s.wait > 0 ? s.wait : 3600));
        if (Clock::now() < due || s.wait <= 0) {
            s.changed.wait_until(lock, due);
            continue;
        }
        s.wait *= 2;
        try {
            const std::string line = line_of(s);
            lock.unlock();
            say(line);
        } catch (const std::bad_alloc&) {  // the line is left out: the working thread reports it if needed
        }
        if (!lock.owns_lock()) lock.lock();
    }
}

}  // namespace

std::string rough_time(double seconds) {
    if (seconds < 100) return fmt::format("{:.0f} s", seconds);
    if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
    return fmt::format("{:.1f} h", seconds / 3600);
}

Heartbeat::Heartbeat(const std::string& command) {
    Shared& s = shared();
    s.command = command;
    s.begin = s.last_output = Clock::now();
    s.wait = first_delay();
    if (s.wait <= 0) return;
    try {
        s.thread = std::thread(watch);
    } catch (const std::system_error&) {  // the system has no more threads: nothing is said while it works
    }
}

Heartbeat::~Heartbeat() {
    Shared& s = shared();
    {
        const std::lock_guard<std::mutex> lock(s.mutex);
        s.ends = true;
        s.changed.notify_all();
    }
    if (s.thread.joinable()) s.thread.join();
}

void Heartbeat::note_output() {
    Shared& s = shared();
    const std::lock_guard<std::mutex> lock(s.mutex);
    s.last_output = Clock::now();
}

void Heartbeat::disable() {
    Shared& s = shared();
    const std::lock_guard<std::mutex> lock(s.mutex);
    s.wait = 0;
}

Activity::Activity(const std::string& what, index_t parts) {
    Shared& s = shared();
    const std::lock_guard<std::mutex> lock(s.mutex);
    s.tasks.push_back({what, parts});
}

Activity::~Activity() {
    Shared& s = shared();
    const std::lock_guard<std::mutex> lock(s.mutex);
    s.tasks.pop_back();
}

void Activity::done(index_t parts) {
    Shared& s = shared();
    const std::lock_guard<std::mutex> lock(s.mutex);
    if (!s.tasks.empty()) s.tasks.back().done = parts;
}

void Activity::done(index_t parts, index_t of) {
    Shared& s = shared();
    const std::lock_guard<std::mutex> lock(s.mutex);
    if (!s.tasks.empty()) s.tasks.back().done = parts, s.tasks.back().parts = of;
}

}  // namespace glassbox::tracer
