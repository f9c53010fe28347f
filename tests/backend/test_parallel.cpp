#include <glassbox/backend/detail/asked_threads.h>
#include <glassbox/backend/parallel.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/devices.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox::detail;
using glassbox_test::Threads;

namespace {

std::set<std::pair<index_t, index_t>> pieces(index_t count, index_t grain) {
    std::mutex mutex;
    std::set<std::pair<index_t, index_t>> seen;
    parallel_for(count, grain, [&](index_t begin, index_t end) {
        const std::lock_guard<std::mutex> lock(mutex);
        seen.insert({begin, end});
    });
    return seen;
}

}  // namespace

TEST_CASE("parallel_for visits every item once, whatever count, grain and number of threads") {
    for (int threads : {1, 2, 3, 8}) {
        const Threads setting(threads);
        for (index_t count : {0, 1, 2, 7, 64, 1000})
            for (index_t grain : {1, 3, 64, 5000}) {
                std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
                parallel_for(count, grain, [&](index_t begin, index_t end) {
                    for (index_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
                });
                for (const auto& visit : visits) REQUIRE(visit == 1);
            }
    }
}

TEST_CASE("the pieces of parallel_for do not depend on the number of threads") {
    const std::set<std::pair<index_t, index_t>> expected{{0, 4}, {4, 8}, {8, 10}};
    for (int threads : {1, 2, 5}) {
        const Threads setting(threads);
        CHECK(pieces(10, 4) == expected);
    }
}

TEST_CASE("two threads work on two pieces concurrently") {
    const Threads setting(2);
    std::atomic<int> arrived{0};
    // Each piece waits for the other: a single thread would time out.
    std::atomic<bool> met{true};
    parallel_for(2, 1, [&](index_t, index_t) {
        ++arrived;
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (arrived < 2)
            if (std::chrono::steady_clock::now() > end) {
                met = false;
                break;
            } else {
                std::this_thread::yield();
            }
    });
    CHECK(met);
}

TEST_CASE("no more threads take part than are set") {
    for (const int threads : {1, 2, 3}) {
        const Threads setting(threads);
        std::mutex mutex;
        for (int round = 0; round < 20; ++round) {
            std::set<std::thread::id> seen;
            parallel_for(40, 1, [&](index_t, index_t) {
                std::this_thread::sleep_for(std::chrono::microseconds(50));
                const std::lock_guard<std::mutex> lock(mutex);
                seen.insert(std::this_thread::get_id());
            });
            CHECK(static_cast<int>(seen.size()) <= threads);
        }
    }
}

TEST_CASE("sleeping worker threads are woken") {
    const Threads setting(2);
    for (int round = 0; round < 3; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // much longer than they spin
        std::atomic<index_t> sum{0};
        parallel_for(100, 1, [&](index_t begin, index_t) { sum += begin; });
        CHECK(sum == 4950);
    }
}

TEST_CASE("an exception of a piece reaches the caller, and the next call works") {
    for (int threads : {1, 2, 4}) {
        const Threads setting(threads);
        const auto throws = [](index_t begin, index_t) {
            if (begin == 3) throw std::runtime_error("piece 3");
        };
        CHECK_THROWS_WITH(parallel_for(8, 1, throws), "piece 3");
        CHECK(pieces(8, 1).size() == 8);
    }
}

TEST_CASE("parallel_for inside a piece runs only on that thread") {
    const Threads setting(4);
    std::atomic<int> elsewhere{0}, items{0};
    parallel_for(8, 1, [&](index_t, index_t) {
        const std::thread::id here = std::this_thread::get_id();
        parallel_for(16, 1, [&](index_t, index_t) {
            ++items;
            if (std::this_thread::get_id() != here) ++elsewhere;
        });
    });
    CHECK(items == 8 * 16);
    CHECK(elsewhere == 0);
}

TEST_CASE("several user threads may call parallel_for concurrently") {
    const Threads setting(3);
    std::atomic<index_t> sum{0};
    std::vector<std::thread> users;
    for (int user = 0; user < 4; ++user)
        users.emplace_back([&] {
            for (int round = 0; round < 200; ++round)
                parallel_for(50, 3, [&](index_t begin, index_t end) { sum += end - begin; });
        });
    for (std::thread& user : users) user.join();
    CHECK(sum == 4 * 200 * 50);
}

TEST_CASE("the threads asked for are a whole number of at least 1, or nothing") {
    CHECK(asked_threads(nullptr) == 0);
    CHECK(asked_threads("") == 0);
    CHECK(asked_threads("1") == 1);
    CHECK(asked_threads("64") == 64);
    CHECK(asked_threads("2147483647") == 2147483647);
    for (const char* wrong : {"0", "-1", "1.5", "2 ", " 2", "two", "2147483648", "+2"})
        glassbox_test::check_error<UsageError>(
            [&] { asked_threads(wrong); },
            "GLASSBOX_NUM_THREADS: expected a whole number of at least 1, got '" + std::string(wrong) + "'");
}

TEST_CASE("a number of threads is that set, capped by the limit, which may be 1") {
    const Threads before(num_threads());
    set_num_threads(1);
    CHECK(num_threads() == 1);
    set_num_threads(7);
    CHECK(num_threads() == 7);
    limit_threads(3);
    CHECK(num_threads() == 3);
    set_num_threads(2);
    CHECK(num_threads() == 2);
    limit_threads(1);
    CHECK(num_threads() == 1);
    limit_threads(std::numeric_limits<int>::max());
    CHECK(num_threads() == 2);
    for (const int wrong : {0, -1}) {
        glassbox_test::check_error<UsageError>(
            [&] { limit_threads(wrong); }, "limit_threads: needs at least 1, got " + std::to_string(wrong));
        glassbox_test::check_error<UsageError>(
            [&] { set_num_threads(wrong); },
            "set_num_threads: needs at least 1, got " + std::to_string(wrong));
    }
}

TEST_CASE("parallel_for calls nothing for no items, once for at most `grain`, and takes a grain of 0 as 1") {
    using Pieces = std::set<std::pair<index_t, index_t>>;
    CHECK(pieces(0, 4).empty());
    CHECK(pieces(-3, 4).empty());
    CHECK(pieces(1, 4) == Pieces{{0, 1}});
    CHECK(pieces(4, 4) == Pieces{{0, 4}});
    CHECK(pieces(5, 4) == Pieces{{0, 4}, {4, 5}});
    CHECK(pieces(3, 0) == Pieces{{0, 1}, {1, 2}, {2, 3}});
    CHECK(pieces(2, -5) == Pieces{{0, 1}, {1, 2}});
}

TEST_CASE("after an exception pieces that have not begun are left out") {
    const Threads setting(1);
    std::vector<index_t> begun;
    CHECK_THROWS_AS(parallel_for(10, 1,
                                 [&](index_t begin, index_t) {
                                     begun.push_back(begin);
                                     if (begin == 4) throw std::runtime_error("here");
                                 }),
                    std::runtime_error);
    CHECK(begun == std::vector<index_t>{0, 1, 2, 3, 4});
}

TEST_CASE("a nested call leaves its piece marked as one: what follows it stays on the thread too") {
    const Threads setting(4);
    std::atomic<int> elsewhere{0};
    parallel_for(6, 1, [&](index_t, index_t) {
        const std::thread::id here = std::this_thread::get_id();
        for (int again = 0; again < 3; ++again)
            parallel_for(8, 1, [&](index_t, index_t) { elsewhere += std::this_thread::get_id() != here; });
    });
    CHECK(elsewhere == 0);
}

TEST_CASE("work is called once on this thread and once on each other, none for a negative number") {
    for (const int others : {-2, 0, 1, 3}) {
        std::atomic<int> calls{0}, here{0};
        const std::thread::id caller = std::this_thread::get_id();
        on_threads(others, [&] {
            ++calls;
            here += std::this_thread::get_id() == caller;
        });
        CHECK(calls == std::max(others, 0) + 1);
        CHECK(here == 1);
    }
}

TEST_CASE("fewer than one thread is rejected") {
    glassbox_test::check_error<UsageError>([] { set_num_threads(0); },
                                           "set_num_threads: needs at least 1, got 0");
}

TEST_CASE(
    "work on several threads is done, its first exception is thrown, and all threads have ended by then") {
    for (const int others : {0, 3}) {
        std::atomic<int> left = 1000, done = 0, running = 0;
        on_threads(others, [&] {
            while (left-- > 0) ++done;
        });
        CHECK(done == 1000);
        const auto stop = [&] {
            ++running;
            --running;
            throw std::runtime_error("stopped");
        };
        CHECK_THROWS_AS(on_threads(others, stop), std::runtime_error);
        CHECK(running == 0);
    }
}
