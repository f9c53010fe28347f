// Training steps of the reversal model, at any size: forward, backward, sum, clip, Adam.
//     training [--seconds 3] [--batch 128] [--length 16] [--dmodel 32] [--heads 1] [--layers 1] [--trace]
//              [--backend cpu|cuda|xtensor] [--products fp32|tf32|bf16] [--eager]
// One line of JSON: median ms per step, sequences per second, GFLOP/s. With --trace every step is traced. On
// a GPU each step copies its batch to the device, as in any training, and is recorded unless --eager is
// given.
#include <glassbox/conventions/made.h>
#include <glassbox/tasks/classifier.h>
#include <glassbox/tasks/reversal.h>
#include <glassbox/train/trainer.h>

#include "place.h"

namespace {

using namespace glassbox;

struct Sizes {
    index_t batch = 128, length = 16, d_model = 32, heads = 1, layers = 1;
    double seconds = 3;
    bool trace = false, eager = false;
    Place place;
};

Sizes parse(int argc, char** argv) {
    Sizes sizes;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto value = [&] { return i + 1 < argc ? std::atof(argv[++i]) : 0; };
        if (word == "--batch") sizes.batch = static_cast<index_t>(value());
        else if (word == "--length") sizes.length = static_cast<index_t>(value());
        else if (word == "--dmodel") sizes.d_model = static_cast<index_t>(value());
        else if (word == "--heads") sizes.heads = static_cast<index_t>(value());
        else if (word == "--layers") sizes.layers = static_cast<index_t>(value());
        else if (word == "--seconds") sizes.seconds = value();
        else if (word == "--trace") sizes.trace = true;
        else if (word == "--eager") sizes.eager = true;
        else if (sizes.place.parse(word, i + 1 < argc ? argv[i + 1] : "")) ++i;
    }
    return sizes;
}

constexpr index_t categories = 10;

// Two per multiply–add of the matrix products only; the backward pass has two products for each.
double flops(const Sizes& s) {
    const double d = static_cast<double>(s.d_model), T = static_cast<double>(s.length), c = categories;
    const double per_block = 3 * d * d + d * d + 2 * T * d + 4 * d * d;  // qkv, o, Q Kᵀ and A V, d_ff = 2 d
    const double per_position = c * d + static_cast<double>(s.layers) * per_block + d * d + d * c;
    return 3 * 2 * static_cast<double>(s.batch) * T * per_position;
}

void measure(const Sizes& sizes) {
    PredictorChoices config;
    config.d_in = config.classes = categories;
    config.encoder.block.d_model = sizes.d_model;
    config.encoder.block.heads = sizes.heads;
    config.encoder.block.d_ff = 2 * sizes.d_model;
    config.encoder.block.dropout = 0;
    config.encoder.layers = sizes.layers;
    ClassifierLearner learner(made<Predictor>(config, *make_stream(Rng::jax, 42)));
    learner.parameters().move_to(sizes.place.device());
    ReversalData data({std::max<index_t>(2 * sizes.batch, 10000), categories, sizes.length});
    TrainerConfig training;
    training.batch = sizes.batch;
    training.epochs = 1'000'000;
    training.clipping.max_norm = 1;
    training.recorded = !sizes.eager;
    Trainer trainer(learner, data, training);
    const Watcher watcher = sizes.trace ? Watcher([](index_t, const Trace&, const Tape&) {}) : Watcher();
    const Times ms = sizes.place.time_of(sizes.seconds, [&] { trainer.step(watcher); });
    std::printf(
        "{\"batch\": %lld, \"length\": %lld, \"d_model\": %lld, \"way\": \"%s\", \"ms\": %.5g, "
        "\"least_ms\": %.5g, \"sequences_per_second\": %.0f, \"gflops\": %.1f, %s}\n",
        static_cast<long long>(sizes.batch), static_cast<long long>(sizes.length),
        static_cast<long long>(sizes.d_model), trainer.is_recorded() ? "recorded" : "eager", ms.median,
        ms.min, 1e3 * static_cast<double>(sizes.batch) / ms.median, flops(sizes) / ms.median / 1e6,
        sizes.place.about().c_str());
}

}  // namespace

int main(int argc, char** argv) {
    return run_bench([&] {
        Sizes sizes = parse(argc, argv);
        sizes.place.start();
        measure(sizes);
    });
}
