// Fused attention, forwards and forwards + backwards: the median time and the memory beyond inputs and
// outputs.
//     attention [--heads 8] [--dim 64] [--seconds 2] [--backward] T…
// One line of JSON for each T. One T a run when the memory is to be right: a peak does not come down again.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <glassbox/backend/backend.h>
#include <glassbox/backend/cpu/gemm.h>
#include <glassbox/backend/cpu/parallel.h>
#include <glassbox/tensor/tensor.h>

#include "measure.h"

namespace {

using namespace glassbox;

struct Options {
    index_t heads = 8, dim = 64;
    double seconds = 2;
    bool backward = false;
    std::vector<index_t> lengths;
};

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto value = [&] { return i + 1 < argc ? std::atof(argv[++i]) : 0; };
        if (word == "--heads") options.heads = static_cast<index_t>(value());
        else if (word == "--dim") options.dim = static_cast<index_t>(value());
        else if (word == "--seconds") options.seconds = value();
        else if (word == "--backward") options.backward = true;
        else options.lengths.push_back(std::atoll(word.c_str()));
    }
    return options;
}

Tensor random(const Shape& shape, std::mt19937& engine) {
    std::normal_distribution<real> normal;
    std::vector<real> values(static_cast<std::size_t>(shape.numel()));
    for (real& value : values) value = normal(engine);
    return Tensor(shape, values);
}

void measure(index_t length, const Options& options) {
    std::mt19937 engine(42);
    const Shape shape{1, options.heads, length, options.dim};
    const Tensor Q = random(shape, engine), K = random(shape, engine), V = random(shape, engine),
                 dO = random(shape, engine);
    Tensor O = Tensor::zeros(shape), L = Tensor::zeros(shape.without(-1));
    Tensor dQ = Tensor::zeros(shape), dK = Tensor::zeros(shape), dV = Tensor::zeros(shape);
    AttentionParams params;
    params.scale = static_cast<real>(1 / std::sqrt(static_cast<double>(options.dim)));
    Backend& cpu = backend(Device::cpu);
    const auto run = [&] {
        cpu.attention(Q.view(), K.view(), V.view(), params, O.writable(), L.writable());
        if (options.backward)
            cpu.attention_backward(Q.view(), K.view(), V.view(), params, O.view(), L.view(), dO.view(),
                                   dQ.writable(), dK.writable(), dV.writable());
    };
    const double before = peak_mb();
    run();
    const double extra = peak_mb() - before;
    const double ms = time_of(options.seconds, run).median;
    std::printf("{\"T\": %lld, \"ms\": %.5g, \"extra_mb\": %.1f, \"threads\": %d, \"core\": \"%s\"}\n",
                static_cast<long long>(length), ms, extra, num_threads(), blas_core_name());
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    for (index_t length : options.lengths) measure(length, options);
}
