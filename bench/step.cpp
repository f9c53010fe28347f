// One micro-batch of a training step, on one CPU thread: the predictor's forward pass, cross-entropy and
// backward pass, at the size of the reversal model by default. Median and minimum microseconds, GFLOP/s of
// the matrix products (two per multiply–add), and with --kernels the time of each of the backend's kernels.
//     step [--batch 16] [--length 16] [--d_in 10] [--d_model 32] [--heads 1] [--layers 1] [--d_ff 64]
//          [--classes 10] [--seconds 1] [--kernels] [--backend cpu|cuda|xtensor] [--products fp32|tf32|bf16]
// On a GPU a kernel's time includes launch and synchronisation.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include <glassbox/glassbox.h>
#include <glassbox/study.h>

#include "place.h"
#include "timed_backend.h"

namespace {

using namespace glassbox;

struct Sizes {
    double batch = 16, length = 16, d_in = 10, d_model = 32, heads = 1, layers = 1, d_ff = 64, classes = 10,
           seconds = 1;
    bool kernels = false;
    Place place;
};

Sizes parse(int argc, char** argv) {
    Sizes sizes;
    const std::map<std::string, double*> named = {
        {"--batch", &sizes.batch},     {"--length", &sizes.length},   {"--d_in", &sizes.d_in},
        {"--d_model", &sizes.d_model}, {"--heads", &sizes.heads},     {"--layers", &sizes.layers},
        {"--d_ff", &sizes.d_ff},       {"--classes", &sizes.classes}, {"--seconds", &sizes.seconds}};
    for (int i = 1; i < argc; ++i) {
        if (!std::strcmp(argv[i], "--kernels")) sizes.kernels = true;
        else if (const auto option = named.find(argv[i]); option != named.end() && i + 1 < argc)
            *option->second = std::atof(argv[++i]);
        else if (sizes.place.parse(argv[i], i + 1 < argc ? argv[i + 1] : "")) ++i;
    }
    return sizes;
}

PredictorChoices choices_of(const Sizes& sizes) {
    PredictorChoices config;
    config.d_in = static_cast<index_t>(sizes.d_in), config.classes = static_cast<index_t>(sizes.classes);
    config.encoder.layers = static_cast<index_t>(sizes.layers);
    BlockChoices& block = config.encoder.block;
    block.d_model = static_cast<index_t>(sizes.d_model), block.heads = static_cast<index_t>(sizes.heads);
    block.d_ff = static_cast<index_t>(sizes.d_ff);
    return config;
}

// Products of forward and backward pass: backward has two for each, except for the gradient of x.
double flops(const Sizes& s) {
    const double d = s.d_model, rows = s.batch * s.length, ends = s.d_in * d + d * d + d * s.classes;
    const double block = 4 * d * d + 2 * d * s.d_ff + 2 * s.length * d;
    return 2 * rows * (3 * (ends + s.layers * block) - s.d_in * d);
}

struct MicroBatch {
    Predictor model;
    Tensor x, labels;

    MicroBatch(const Sizes& sizes, Stream& stream) : model(made<Predictor>(choices_of(sizes), stream)) {
        const Shape shape{static_cast<index_t>(sizes.batch), static_cast<index_t>(sizes.length)};
        std::vector<real> digits;
        for (index_t i = 0; i < shape.numel(); ++i)
            digits.push_back(static_cast<real>(i * 7 % model.config().classes));
        labels = Tensor(shape, digits);
        const index_t d_in = model.config().d_in;
        if (d_in == model.config().classes) x = one_hot(labels, d_in);
        else x = stream.normal(shape.with_appended(d_in));
        const Device device = sizes.place.device();
        parameters_of(model).move_to(device);
        x = x.to(device), labels = labels.to(device);
    }

    Tensor loss() const { return sum(cross_entropy(model(x), labels)); }
    void forward_and_backward() const {
        Tape tape;
        tape.backward(loss());
    }
    void traced() const {
        Trace trace;
        forward_and_backward();
    }
    void taped() const {
        Tape tape;
        loss();
    }
};

void print_kernels(const MicroBatch& micro_batch, const Place& place, double seconds) {
    Backend& kernels = place.backend();
    TimedBackend timed(kernels);
    set_backend(place.device(), &timed);
    long runs = 0;
    place.time_of(seconds, [&] { micro_batch.forward_and_backward(), ++runs; });
    set_backend(place.device(), &kernels);
    for (const auto& [name, total] : timed.totals())
        fmt::print("    {:24} {:5.1f} calls {:7.2f} µs\n", name,
                   static_cast<double>(total.calls) / static_cast<double>(runs),
                   total.nanoseconds / 1e3 / static_cast<double>(runs));
}

void measure(const Sizes& sizes) {
    const auto stream = make_stream(Rng::jax, 42);
    const MicroBatch micro_batch(sizes, *stream);
    const auto report = [&](const char* what, const std::function<void()>& run) {
        const Times ms = sizes.place.time_of(sizes.seconds, run);
        fmt::print("  {:28} {:9.1f} µs, minimum {:.1f}\n", what, ms.median * 1e3, ms.min * 1e3);
        return ms.median * 1e3;
    };
    report("forward and loss", [&] { micro_batch.loss(); });
    report("the same, taped", [&] { micro_batch.taped(); });
    const double total_us = report("forward, loss and backward", [&] { micro_batch.forward_and_backward(); });
    report("the same, traced", [&] { micro_batch.traced(); });
    fmt::print("  {:28} {:9.1f} GFLOP/s\n", "matrix products", flops(sizes) / total_us / 1e3);
    if (sizes.kernels) print_kernels(micro_batch, sizes.place, sizes.seconds);
}

}  // namespace

int main(int argc, char** argv) {
    return run_bench([&] {
        Sizes sizes = parse(argc, argv);
        set_num_threads(1);
        sizes.place.start();
        measure(sizes);
    });
}
