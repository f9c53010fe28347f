#include <glassbox/tensor/detail/free_list.h>
#include <glassbox/tensor/memory.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include <glassbox/ops/ops.h>

#include "support/catch.h"
#include "support/compare.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

bool is_aligned(const void* block) { return reinterpret_cast<std::uintptr_t>(block) % 64 == 0; }

}  // namespace

TEST_CASE("blocks of every size are 64-byte aligned and large enough") {
    for_seeds(20, [](Random& random) {
        for (int power = 0; power < 22; ++power) {
            const std::size_t most = std::size_t{1} << power;
            for (std::size_t bytes :
                 {most - 1, most, most + 1, static_cast<std::size_t>(random.whole(0, 1 << power))}) {
                void* block = cpu_memory().allocate(bytes);
                CHECK(is_aligned(block));
                std::memset(block, 0xAB, bytes);  // the sanitizer checks the end
                cpu_memory().release(block, bytes);
            }
        }
    });
}

TEST_CASE("tensors are 64-byte aligned") {
    for (index_t n = 0; n < 70; ++n) {
        const Tensor x = Tensor::empty({n});
        CHECK(is_aligned(x.data()));
    }
}

TEST_CASE("a large block begins with a large page and is as long as it says") {
    if (!memory_is_reused) SKIP("the address sanitizer wants exact blocks");
    for (const std::size_t bytes : {std::size_t{4} << 20, (std::size_t{5} << 20) + 1}) {
        void* block = cpu_memory().allocate(bytes);
        CHECK(reinterpret_cast<std::uintptr_t>(block) % (std::size_t{2} << 20) == 0);
        std::memset(block, 0xAB, bytes);
        cpu_memory().release(block, bytes);
    }
}

TEST_CASE("a released block is reused for the next request of its size class") {
    if (!memory_is_reused) SKIP("the address sanitizer wants blocks freed");
    void* first = cpu_memory().allocate(5000);
    cpu_memory().release(first, 5000);
    void* again = cpu_memory().allocate(4999);
    CHECK(again == first);
    void* other_class = cpu_memory().allocate(9000);
    CHECK(other_class != first);
    cpu_memory().release(again, 4999);
    cpu_memory().release(other_class, 9000);
}

TEST_CASE("blocks in use at the same time do not overlap") {
    for_seeds(5, [](Random& random) {
        struct Block {
            unsigned char* data;
            std::size_t bytes;
            unsigned char mark;
        };
        std::vector<Block> live;
        for (int step = 0; step < 2000; ++step) {
            if (!live.empty() && random.whole(0, 1) == 0) {
                const std::size_t i =
                    static_cast<std::size_t>(random.whole(0, static_cast<index_t>(live.size()) - 1));
                const Block block = live[i];
                bool intact = true;
                for (std::size_t at = 0; at < block.bytes; ++at)
                    intact = intact && block.data[at] == block.mark;
                CHECK(intact);
                cpu_memory().release(block.data, block.bytes);
                live.erase(live.begin() + static_cast<std::ptrdiff_t>(i));
            } else {
                const std::size_t bytes = static_cast<std::size_t>(random.whole(0, 700));
                const unsigned char mark = static_cast<unsigned char>(random.whole(0, 255));
                unsigned char* data = static_cast<unsigned char*>(cpu_memory().allocate(bytes));
                std::memset(data, mark, bytes);
                live.push_back({data, bytes, mark});
            }
        }
        for (const Block& block : live) cpu_memory().release(block.data, block.bytes);
    });
}

TEST_CASE("a tensor may be released by another thread than the one that made it") {
    for (int round = 0; round < 100; ++round) {
        std::optional<Tensor> x = Tensor::full({1000}, 3);
        real sum = 0;
        std::thread([&] {
            for (real value : x->values()) sum += value;
            x.reset();
        }).join();
        CHECK(sum == 3000);
    }
}

TEST_CASE("a tensor outlives the thread that made it") {
    Tensor x, y;
    std::thread([&] {
        x = Tensor::full({500}, 2);
        y = x * 2;
        for (int i = 0; i < 10; ++i) Tensor::empty({500});  // leaves blocks in the thread's pool
    }).join();
    check_close(y, Tensor::full({500}, 4), exact, "made by a thread that has ended");
    x = Tensor();
    check_close(x.defined() ? x : y + 1, Tensor::full({500}, 5), exact, "computed with afterwards");
}

namespace {
// Destroyed after the thread's pool, which was created later.
struct Last {
    Tensor tensor;
};
Last& last() {
    static thread_local Last instance;
    return instance;
}
}  // namespace

TEST_CASE("a tensor may be released after its thread's pool is gone") {
    Tensor handed_over;
    std::thread([&] {
        last();
        last().tensor = Tensor::full({300}, 1);
        handed_over = last().tensor;
    }).join();
    check_close(handed_over, Tensor::full({300}, 1), exact, "still there");
}

TEST_CASE("threads allocate and release concurrently") {
    std::vector<std::thread> threads;
    std::vector<int> wrong(4, 0);
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([t, &wrong] {
            Random random(static_cast<std::uint64_t>(t));
            std::vector<Tensor> kept(8);
            for (int i = 0; i < 3000; ++i) {
                Tensor& slot = kept[static_cast<std::size_t>(random.whole(0, 7))];
                if (slot.defined() && slot.values()[0] != static_cast<real>(slot.numel()))
                    ++wrong[static_cast<std::size_t>(t)];
                const index_t n = random.whole(1, 300);
                slot = Tensor::full({n}, static_cast<real>(n));
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == std::vector<int>(4, 0));
}

TEST_CASE("requests that cannot be satisfied are errors") {
    CHECK_THROWS_AS(cpu_memory().allocate(static_cast<std::size_t>(PTRDIFF_MAX)), Error);
    CHECK_THROWS_AS(cpu_memory().allocate(SIZE_MAX), Error);
}
