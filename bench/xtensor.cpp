// What kernels cost as expressions of xtensor, beside the CPU's own: microseconds, medians, both on one
// thread.
//     xtensor [--seconds 0.3] [--rows 1024] [--columns 256]
#include <cstdio>
#include <functional>
#include <string>

#include <glassbox/backend/parallel.h>
#include <glassbox/glassbox.h>

#include "measure.h"
#include "noise.h"
#include "place.h"

using namespace glassbox;

namespace {

struct Options {
    double seconds = 0.3;
    index_t rows = 1024, columns = 256;
};

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; i += 2) {
        const std::string word = argv[i];
        if (i + 1 == argc) throw Error(word + ": needs a value");
        const double value = std::atof(argv[i + 1]);
        if (value <= 0) throw Error(word + ": above 0, got '" + argv[i + 1] + "'");
        if (word == "--seconds") options.seconds = value;
        else if (word == "--rows") options.rows = static_cast<index_t>(value);
        else if (word == "--columns") options.columns = static_cast<index_t>(value);
        else throw Error(word + ": --seconds, --rows or --columns");
    }
    return options;
}

// The operands of a device, made once.
struct Operands {
    Tensor x, other, row, column, square, Q, K;
    Operands(Device on, index_t n, index_t d)
        : x(noise({n, d}, on, 1)),
          other(noise({n, d}, on, 2)),
          row(noise({d}, on, 3)),
          column(noise({n, 1}, on, 4)),
          square(noise({512, 512}, on, 5)),
          Q(noise({8, 8, 128, 64}, on, 6)),
          K(noise({8, 8, 128, 64}, on, 7)) {}
};

// The row added to each row by itself: n calls, each of equal shapes.
Tensor row_by_row(const Operands& in) {
    Tensor y = Tensor::empty(in.x.shape(), in.x.device());
    const ConstView x = in.x.view(), row = in.row.view();
    const View to = y.writable();
    const index_t d = x.shape[1];
    Backend& kernels = backend(in.x.device());
    for (index_t i = 0; i < x.shape[0]; ++i)
        kernels.binary(Binary::add, {x.data + i * d, row.shape, row.strides}, row,
                       {to.data + i * d, row.shape, row.strides});
    return y;
}

void compare(const Options& options) {
    set_num_threads(1);
    const index_t n = options.rows, d = options.columns;
    const Operands cpu(Device::cpu, n, d), xtensor(Device::xtensor, n, d);
    struct Named {
        const char* name;
        std::function<Tensor(const Operands&)> of;
    };
    const Named all[] = {
        {"x + x′, equal shapes", [](const Operands& in) { return in.x + in.other; }},
        {"x + row (d)", [](const Operands& in) { return in.x + in.row; }},
        {"x + row (d), row by row", row_by_row},
        {"x + column (n, 1)", [](const Operands& in) { return in.x + in.column; }},
        {"a copy of xᵀ", [](const Operands& in) { return contiguous(transpose(in.x)); }},
        {"exp(x)", [](const Operands& in) { return exp(in.x); }},
        {"sum of each row", [](const Operands& in) { return sum(in.x, -1); }},
        {"sum of each column", [](const Operands& in) { return sum(in.x, 0); }},
        {"softmax(x)", [](const Operands& in) { return softmax(in.x); }},
        {"A B, 512 × 512 × 512", [](const Operands& in) { return matmul(in.square, in.square); }},
        {"Q Kᵀ, 64 of 128 × 64", [](const Operands& in) { return matmul(in.Q, transpose(in.K)); }},
    };
    std::printf("x (%td, %td), one thread, %s, %s %s; µs\n\n", n, d,
                std::string(name_of(instruction_set())).c_str(), blas_name().c_str(),
                blas_core_name().c_str());
    std::printf("| | cpu | xtensor | times |\n|---|---:|---:|---:|\n");
    for (const Named& each : all) {
        const double own = 1e3 * time_of(options.seconds, [&] { each.of(cpu); }).median;
        const double theirs = 1e3 * time_of(options.seconds, [&] { each.of(xtensor); }).median;
        std::printf("| %s | %.1f | %.1f | %.1f |\n", each.name, own, theirs, theirs / own);
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
    return run_bench([&] { compare(parse(argc, argv)); });
}
