// Fused attention, forward or forward + backward: the median time, and the memory beyond inputs and outputs.
//     attention [--backend cpu|cuda|xtensor] [--heads 8] [--dim 64] [--seconds 2] [--backward] T…
// One line of JSON for each T; peak_mb includes inputs and outputs. On the CPU memory is only right with one
// T per run, as a process's peak never goes down.
#include <cmath>
#include <vector>

#include "noise.h"
#include "place.h"

namespace {

using namespace glassbox;

struct Options {
    index_t heads = 8, dim = 64;
    double seconds = 2;
    bool backward = false;
    Place place;
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
        else if (options.place.parse(word, i + 1 < argc ? argv[i + 1] : "")) ++i;
        else options.lengths.push_back(std::atoll(word.c_str()));
    }
    return options;
}

void measure(index_t length, const Options& options) {
    const Place& place = options.place;
    const Device device = place.device();
    const Shape shape{1, options.heads, length, options.dim};
    const Tensor Q = noise(shape, device, 1), K = noise(shape, device, 2), V = noise(shape, device, 3);
    Tensor O = Tensor::zeros(shape, device), L = Tensor::zeros(shape.without(-1), device);
    Tensor dO, dQ, dK, dV;
    if (options.backward) {
        dO = noise(shape, device, 4);
        for (Tensor* gradient : {&dQ, &dK, &dV}) *gradient = Tensor::zeros(shape, device);
    }
    AttentionParams params;
    params.scale = static_cast<real>(1 / std::sqrt(static_cast<double>(options.dim)));
    Backend& kernels = place.backend();
    const auto run = [&] {
        kernels.attention(Q.view(), K.view(), V.view(), params, O.writable(), L.writable());
        if (options.backward)
            kernels.attention_backward(Q.view(), K.view(), V.view(), params, O.view(), L.view(), dO.view(),
                                       dQ.writable(), dK.writable(), dV.writable());
    };
    place.reset_peak_use();
    const double before = place.peak_memory_mb();
    run();
    const double extra = place.peak_memory_mb() - before;
    const Times ms = place.time_of(options.seconds, run);
    std::printf("{\"T\": %lld, \"ms\": %.5g, \"least_ms\": %.5g, \"extra_mb\": %.1f, %s}\n",
                static_cast<long long>(length), ms.median, ms.min, extra, place.about().c_str());
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    return run_bench([&] {
        Options options = parse(argc, argv);
        options.place.start();
        for (index_t length : options.lengths) measure(length, options);
    });
}
