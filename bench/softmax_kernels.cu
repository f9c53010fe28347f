// The five softmax kernels of lesson 15 on this machine's GPU, compared with a copy of the same bytes and the
// library's softmax: milliseconds by CUDA events, the median of many runs. Each version's rows are compared
// with double on the CPU; where one is wrong, the exit code is 1.
//     ./dev bench softmax_kernels
//     ./dev bench softmax_kernels 65536x1024      sizes, (rows, n) each
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <glassbox/backend/backend.h>
#include <glassbox/backend/cuda/check.h>
#include <glassbox/backend/cuda/scratch.h>
#include <glassbox/backend/cuda/stream.h>

#include "../lessons/15-two-backends/softmax_kernels.h"

using namespace glassbox;

namespace {

struct Size {
    index_t rows, n;
};

// Peak memory bandwidth in bytes per second, from clock and bus width; 0 where the driver does not report
// them.
double peak_of_memory() {
    int device = 0, kilohertz = 0, bits = 0;
    check(cudaGetDevice(&device), "softmax_kernels");
    check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, device), "softmax_kernels");
    check(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device), "softmax_kernels");
    return 2.0 * kilohertz * 1e3 * bits / 8;  // double data rate
}

// Up to 51 runs, fewer where they are slow, after three untimed ones.
double median_ms(const std::function<void()>& f) {
    Event before, after;
    std::vector<double> times;
    double total = 0;
    for (std::size_t i = 0; i < 54 && (i < 8 || total < 2000); ++i) {
        before.record();
        f();
        after.record();
        after.wait();
        times.push_back(static_cast<double>(after.since(before)));
        total += times.back();
    }
    times.erase(times.begin(), times.begin() + 3);
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

// The largest relative difference from double on the CPU, in 16 rows from the first to the last.
double error_of(const std::vector<real>& x, const real* y, Size size) {
    const auto n = static_cast<std::size_t>(size.n);
    std::vector<real> row(n);
    std::vector<double> right(n);
    double worst = 0;
    for (index_t i = 0; i < 16; ++i) {
        const auto first = static_cast<std::size_t>((size.rows - 1) * i / 15) * n;
        check(cudaMemcpy(row.data(), y + first, n * sizeof(real), cudaMemcpyDeviceToHost), "softmax_kernels");
        const double m = static_cast<double>(*std::max_element(&x[first], &x[first] + n));
        double s = 0;
        for (std::size_t j = 0; j < n; ++j) s += right[j] = std::exp(static_cast<double>(x[first + j]) - m);
        for (std::size_t j = 0; j < n; ++j) {
            const double off = std::abs(static_cast<double>(row[j]) - right[j] / s) / (right[j] / s + 1e-6);
            if (!(off <= worst)) worst = off;  // also true for NaN
        }
    }
    return worst;
}

class Table {
  public:
    Table(Size size, double peak) : bytes_(2.0 * size.rows * size.n * sizeof(real)), peak_(peak) {
        std::printf("%lld rows of %lld: %.1f MB to move, read once and written once\n",
                    static_cast<long long>(size.rows), static_cast<long long>(size.n), bytes_ / 1e6);
        std::printf("    %-24s %10s %10s %10s %12s\n", "", "ms", "GB/s", "of peak", "error");
    }
    void line(const char* number, const char* name, double ms, double error) {
        const double rate = bytes_ / (ms * 1e-3);
        std::printf("%-3s %-24s %10.4f %10.1f ", number, name, ms, rate / 1e9);
        if (peak_ > 0) std::printf("%9.1f%%", 100 * rate / peak_);
        else std::printf("%10s", "unknown");
        if (error < 0) std::printf("\n");
        else std::printf(" %12.1e\n", error);
    }

  private:
    double bytes_, peak_;
};

// False when a version is wrong.
bool measure(Size size, double peak) {
    const index_t count = size.rows * size.n;
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(real);
    std::vector<real> x(static_cast<std::size_t>(count));
    std::mt19937 engine(15);
    std::normal_distribution<real> normal(0, 3);
    for (real& each : x) each = normal(engine);
    const GpuScratch<real> from(count), to(count);
    memory(Device::cuda).from_host(from.data(), x.data(), bytes);
    const Shape shape = {size.rows, size.n};
    Table table(size, peak);
    table.line(
        "", "copy", median_ms([&] {
            check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, current_stream()),
                  {"copy", shape});
        }),
        -1);
    bool right = true;
    const auto compare = [&](const char* number, const char* name, const std::function<void()>& softmax) {
        // Fills with NaN, which every version must overwrite.
        check(cudaMemsetAsync(to.data(), 0xff, bytes, current_stream()), name);
        const double ms = median_ms(softmax), error = error_of(x, to.data(), size);
        table.line(number, name, ms, error);
        right = right && error < 1e-2;  // one thread that adds up a million floats is no more accurate
    };
    const auto versions = lesson15::versions<real>();
    for (std::size_t i = 0; i < versions.size(); ++i) {
        const auto& version = versions[i];
        const std::string number = std::to_string(i + 1);
        if (size.n > version.longest) {
            std::printf("%-3s %-24s %10s\n", number.c_str(), version.name, "too long");
            continue;
        }
        compare(number.c_str(), version.name, [&] {
            launch({version.name, shape}, version.launch_for(size.rows), version.kernel, from.data(),
                   to.data(), size.rows, size.n);
        });
    }
    const Strides strides = {size.n, 1};
    compare("", "the library's", [&] {
        backend(Device::cuda).softmax({from.data(), shape, strides}, {to.data(), shape, strides});
    });
    return right;
}

Size size_of(const std::string& text) {
    const std::size_t cross = text.find('x');
    const Size size = {std::atoll(text.c_str()),
                       cross == std::string::npos ? 0 : std::atoll(text.c_str() + cross + 1)};
    if (size.rows < 1 || size.n < 1)
        throw Error("softmax_kernels: a size is ROWSxN, such as 65536x1024, got '" + text + "'");
    return size;
}

int run(int argc, char** argv) {
    std::vector<Size> sizes;
    for (int i = 1; i < argc; ++i) sizes.push_back(size_of(argv[i]));
    if (sizes.empty()) sizes = {{65536, 1024}, {1048576, 64}, {256, 131072}, {16, 1048576}};
    backend(Device::cuda);  // throws where there is no GPU
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0), "softmax_kernels");
    const double peak = peak_of_memory();
    std::printf("%s, memory %.0f GB/s at most, %zu bytes per number\n\n", device.name, peak / 1e9,
                sizeof(real));
    bool right = true;
    for (const Size& size : sizes) {
        right = measure(size, peak) && right;
        std::printf("\n");
    }
    if (!right) std::printf("wrong: a version differs from the CPU\n");
    return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 2;
    }
}
