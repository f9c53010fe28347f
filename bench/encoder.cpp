// The forward pass of a Transformer-base encoder (d_model 512, 8 heads, d_ff 2048, 6 layers, post-norm), or
// the rate of one large product to hold it against.
//     encoder [--seconds 3] [--batch 8] [--length 512]      one line of JSON: median ms, GFLOP/s, peak memory
//     encoder --sgemm [--size 4096]                         one line of JSON: GFLOP/s
// One (batch, length) a run: a peak of memory does not come down again.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <glassbox/backend/cpu/gemm.h>
#include <glassbox/backend/cpu/parallel.h>
#include <glassbox/models/encoder.h>
#include <glassbox/ops/matmul.h>
#include <glassbox/random/stream.h>

#include "measure.h"

namespace {

using namespace glassbox;

struct Options {
    index_t batch = 1, length = 128, size = 4096;
    double seconds = 3;
    bool sgemm = false;
};

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto value = [&] { return i + 1 < argc ? std::atof(argv[++i]) : 0; };
        if (word == "--batch") options.batch = static_cast<index_t>(value());
        else if (word == "--length") options.length = static_cast<index_t>(value());
        else if (word == "--size") options.size = static_cast<index_t>(value());
        else if (word == "--seconds") options.seconds = value();
        else if (word == "--sgemm") options.sgemm = true;
    }
    return options;
}

// Two for every multiply and add of the products; the rest is not counted.
double flops(const Options& options, const StackConfig& config) {
    const double d = static_cast<double>(config.block.d_model), ff = static_cast<double>(config.block.d_ff);
    const double T = static_cast<double>(options.length), rows = static_cast<double>(options.batch) * T;
    return static_cast<double>(config.layers) * 2 * rows * (4 * d * d + 2 * d * ff + 2 * T * d);
}

void measure_encoder(const Options& options) {
    StackConfig config;
    config.block.convention = convention("paper");
    const auto stream = make_stream(Rng::torch, 42);
    const Encoder encoder(config, *stream);
    const Tensor x = stream->normal({options.batch, options.length, config.block.d_model});
    const Times ms = time_of(options.seconds, [&] { encoder(x); });
    std::printf(
        "{\"batch\": %lld, \"length\": %lld, \"ms\": %.5g, \"least_ms\": %.5g, \"gflops\": %.1f, "
        "\"peak_mb\": %.1f, "
        "\"threads\": %d, \"core\": \"%s\"}\n",
        static_cast<long long>(options.batch), static_cast<long long>(options.length), ms.median, ms.least,
        flops(options, config) / ms.median / 1e6, peak_mb(), num_threads(), blas_core_name());
}

void measure_sgemm(const Options& options) {
    const Tensor a = Tensor::ones({options.size, options.size}),
                 b = Tensor::ones({options.size, options.size});
    const Times ms = time_of(options.seconds, [&] { matmul(a, b); });
    const double size = static_cast<double>(options.size);
    std::printf("{\"size\": %lld, \"ms\": %.5g, \"gflops\": %.1f, \"threads\": %d, \"core\": \"%s\"}\n",
                static_cast<long long>(options.size), ms.median, 2 * size * size * size / ms.median / 1e6,
                num_threads(), blas_core_name());
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    if (options.sgemm) measure_sgemm(options);
    else measure_encoder(options);
}
