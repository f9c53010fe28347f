// The kernels of lesson 15: every version matches the oracle, and the lesson's table matches the emulator's
// counts.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include <glassbox/backend/backend.h>
#include <glassbox/tensor/real.h>

#include "kernel_test.h"
#include "support/compare.h"
#include "support/devices.h"
#include "support/random.h"

namespace glassbox::lesson15 {
// Found before CUDA's own function: counts calls, same result.
inline int exponentials = 0;
inline real exp(real x) {
    ++exponentials;
    return std::exp(x);
}
}  // namespace glassbox::lesson15

#include "../../lessons/15-two-backends/softmax_kernels.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

// A number that records its reads and writes.
struct Watched {
    real value;

    operator real() const;
    Watched& operator=(real x);
};

// A warp's request: the reads (or writes) of its threads with the same index, counted per thread.
class Requests {
  public:
    void note(const void* address) {
        const std::tuple thread(blockIdx.x, threadIdx.x);
        all_.push_back({blockIdx.x, threadIdx.x / 32, counted_[thread]++,
                        reinterpret_cast<std::uintptr_t>(address) / 32});
    }
    std::size_t count() const { return all_.size(); }
    // Memory is transferred in sectors of 32 bytes: the number for all requests, each sector once per
    // request.
    std::size_t sectors() const { return std::set(all_.begin(), all_.end()).size(); }

  private:
    std::map<std::tuple<unsigned, unsigned>, int> counted_;
    std::vector<std::tuple<unsigned, unsigned, int, std::uintptr_t>> all_;
};
Requests reads, writes;

Watched::operator real() const {
    reads.note(this);
    return value;
}
Watched& Watched::operator=(real x) {
    writes.note(this);
    value = x;
    return *this;
}

// y of a kernel, on an array that starts with x; Number is real or Watched.
template <class Number>
std::vector<Number> run(const lesson15::Version<Number>& version, const std::vector<Number>& x, index_t n) {
    const index_t rows = static_cast<index_t>(x.size()) / n;
    std::vector<Number> nothing(x.size());
    Number* y = on_device(nothing);
    const Launch how = version.launch_for(rows);
    REQUIRE(glassbox_test::launch(how.grid, how.block, how.shared, nullptr, version.kernel,
                                  static_cast<const Number*>(on_device(x)), y, rows, n) == cudaSuccess);
    return on_host(y, x.size());
}

void check_versions(const Tensor& x, const Tolerance& tolerance) {
    Tensor expected = Tensor::empty(x.shape());
    devices();  // registers the oracle
    backend(Device::oracle).softmax(x.view(), expected.writable());
    for (const auto& version : lesson15::versions<real>()) {
        if (x.size(-1) > version.longest) continue;
        const FreshDevice device;
        check_close(Tensor(x.shape(), run(version, x.values(), x.size(-1))), expected, tolerance,
                    version.name + x.shape().str());
    }
}

}  // namespace

TEST_CASE("every softmax kernel of lesson 15 matches the oracle, on rows of any length") {
    for_seeds(12, [](Random& random) {
        check_versions(random.normal({random.whole(1, 40), random.whole(1, 200)}), rounding);
        check_versions(random.uniform({2, random.whole(1, 70)}, -500, 500), rounding);
    });
    Random random(15);
    for (index_t n : {1, 31, 32, 33, 1023, 1024, 1025, 5000}) check_versions(random.normal({3, n}), rounding);
    check_versions(Tensor::full({40, 33}, real(-1e30)), rounding);
}

TEST_CASE("hidden scores have weight 0 in every softmax kernel, and NaN stays in its row") {
    for (index_t n : {2, 33, 64, 1500})
        for (index_t first : {index_t{0}, n / 2}) {
            Random random(static_cast<std::uint64_t>(n));
            std::vector<real> values = random.normal({5, n}).values();
            const auto row = [&](index_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i * n); };
            std::fill(row(1) + first, row(1) + first + n / 2, -infinity);
            std::fill(row(2), row(3), -infinity);
            *(row(3) + first) = infinity;
            *(row(4) + first) = std::nan("");
            check_versions(Tensor({5, n}, values), rounding.with_nan());
        }
}

namespace {

struct Counts {
    std::size_t reads, fetched, written, exponentials, shuffles, barriers;  // per row
};

Counts count(const lesson15::Version<Watched>& version, index_t n) {
    constexpr std::size_t rows = 32;  // a full warp of version 1
    const FreshDevice device;
    reads = writes = {};
    cuda_on_host::reset_meetings();
    lesson15::exponentials = 0;
    std::vector<Watched> x(rows * static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < x.size(); ++i) x[i].value = static_cast<real>(i * 7919 % 1000) / 100;
    run(version, x, n);
    const auto met = cuda_on_host::meetings();
    return {reads.count() / rows,         32 * reads.sectors() / rows,
            32 * writes.sectors() / rows, static_cast<std::size_t>(lesson15::exponentials) / rows,
            met.shuffles / rows,          met.barriers / rows};
}

}  // namespace

TEST_CASE("lesson 15's table of the softmax kernels matches the emulator's counts") {
    if (in_double) SKIP("the table is of floats");
    std::ifstream file(GLASSBOX_SOURCE "/lessons/15-two-backends/README.md");
    REQUIRE(file);
    std::ostringstream readme;
    readme << file.rdbuf();
    int number = 0;
    for (const auto& version : lesson15::versions<Watched>()) {
        const Counts c = count(version, 1024);
        char line[200];
        std::snprintf(line, sizeof line, "| %d | %s | %d | %zu | %zu | %zu | %zu | %zu | %zu |\n", ++number,
                      version.name, version.threads_a_row, c.reads, c.fetched, c.written, c.exponentials,
                      c.shuffles, c.barriers);
        INFO(line);
        CHECK(readme.str().find(line) != std::string::npos);
    }
}
