// A Transformer-base encoder (d_model 512, 8 heads, d_ff 2048, 6 layers, post-norm): its forward pass or a
// training step; or the rate of one large product for comparison.
//     encoder [--seconds 3] [--batch 8] [--length 512]      one line of JSON: median ms, GFLOP/s, peak memory
//     encoder --train [--eager]                             the same for a step: forward, backward, AdamW
//     encoder --sgemm [--size 4096]                         one line of JSON: GFLOP/s
//     … --backend cuda --products fp32|tf32|bf16            on a GPU
// One (batch, length) per run: a process's peak memory never goes down.
#include <glassbox/conventions/made.h>
#include <glassbox/ops/ops.h>

#include "encoder_step.h"
#include "noise.h"

namespace {

using namespace glassbox;

struct Options {
    index_t batch = 1, length = 128, size = 4096;
    double seconds = 3;
    bool sgemm = false, train = false, eager = false;
    Place place;
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
        else if (word == "--train") options.train = true;
        else if (word == "--eager") options.eager = true;
        else if (options.place.parse(word, i + 1 < argc ? argv[i + 1] : "")) ++i;
    }
    return options;
}

// Two per multiply–add of the matrix products only. The backward pass has two products for each.
double flops(const Options& options, const StackChoices& config) {
    const double d = static_cast<double>(config.block.d_model), ff = static_cast<double>(config.block.d_ff);
    const double T = static_cast<double>(options.length), rows = static_cast<double>(options.batch) * T;
    const double forward =
        static_cast<double>(config.layers) * 2 * rows * (4 * d * d + 2 * d * ff + 2 * T * d);
    return options.train ? 3 * forward : forward;
}

void print(const Options& options, const StackChoices& config, const Times& ms, const char* way) {
    std::printf(
        "{\"batch\": %lld, \"length\": %lld, \"way\": \"%s\", \"ms\": %.5g, \"least_ms\": %.5g, "
        "\"gflops\": %.1f, %s}\n",
        static_cast<long long>(options.batch), static_cast<long long>(options.length), way, ms.median, ms.min,
        flops(options, config) / ms.median / 1e6, options.place.about().c_str());
}

void measure_encoder(const Options& options) {
    const StackChoices choices;
    auto encoder = made<Encoder>(convention("paper"), choices, *make_stream(Rng::torch, 42));
    const Device device = options.place.device();
    parameters_of(encoder).move_to(device);
    const Shape shape{options.batch, options.length, choices.block.d_model};
    const Tensor x = noise(shape, device, 1);
    if (!options.train)
        return print(options, choices, options.place.time_of(options.seconds, [&] { encoder(x); }),
                     "forward");
    EncoderStep step(encoder, x, noise(shape, device, 2), !options.eager);
    const Times ms = options.place.time_of(options.seconds, [&] { step(); });
    print(options, choices, ms, step.is_recorded() ? "recorded" : "eager");
}

void measure_sgemm(const Options& options) {
    const Device device = options.place.device();
    const Tensor a = noise({options.size, options.size}, device, 1),
                 b = noise({options.size, options.size}, device, 2);
    const Times ms = options.place.time_of(options.seconds, [&] { static_cast<void>(matmul(a, b)); });
    const double size = static_cast<double>(options.size);
    std::printf("{\"size\": %lld, \"ms\": %.5g, \"gflops\": %.1f, %s}\n",
                static_cast<long long>(options.size), ms.median, 2 * size * size * size / ms.median / 1e6,
                options.place.about().c_str());
}

}  // namespace

int main(int argc, char** argv) {
    return run_bench([&] {
        Options options = parse(argc, argv);
        options.place.start();
        if (options.sgemm) measure_sgemm(options);
        else measure_encoder(options);
    });
}
