// Overhead of tensor, tape, trace and dispatch, with kernels that compute nothing: nanoseconds per kernel
// call, those of the backward pass included. The design's limit is 100.
//     build/release/bench/overhead
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include <glassbox/glassbox.h>
#include <glassbox/study.h>
#include <glassbox/tensor/memory.h>

#include "forwarding_backend.h"

using namespace glassbox;

namespace {

long calls = 0;

// Kernels are no-ops.
class NullBackend : public ForwardingBackend<NullBackend> {
  public:
    NullBackend() : ForwardingBackend(backend(Device::cpu)) {}
    template <class Run>
    void kernel(const char*, Run) {
        ++calls;
    }
};

// As in a training step of the reversal model.
constexpr int step_count = 45, operations = 60;

namespace step {
constexpr StepInfo x{"bench", "x", "", ""}, logits{"bench", "logits", "x W", ""},
    scaled{"bench", "scaled", "logits / 2", ""},
    attention{"bench", "attention", "softmax(scaled) + scaled", ""};
}  // namespace step

// Three steps per four ops, named in scopes as in layers.
Tensor model(Tensor x, const Tensor& weight) {
    for (int i = 0; i < step_count / 3; ++i) {
        const Scope layer("encoder", i / 5), part(i % 5 < 3 ? "self_attn" : "mlp");
        x = named(step::logits, matmul(x, weight));
        x = named(step::scaled, x * 0.5);
        x = named(step::attention, softmax(x) + x);
    }
    return x;
}

constexpr int ops = 40;  // about as many as an encoder block's forward pass

// Ops as in attention: product, scale, softmax, sum.
Tensor forward(Tensor x, const Tensor& weight, bool with_names) {
    for (int i = 0; i < ops / 4; ++i) {
        x = matmul(x, weight);
        x = x * 0.5;
        x = softmax(x);
        x = x + x;
        if (with_names) x = named(step::x, x);
    }
    return x;
}

// The median of many runs, robust against other load.
double measure(const std::function<void()>& run) {
    using Clock = std::chrono::steady_clock;
    std::vector<double> times;
    calls = 0;
    for (int i = 0; i < 2001; ++i) {
        const auto begin = Clock::now();
        run();
        times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
    }
    calls /= 2001;  // per run
    std::nth_element(times.begin(), times.begin() + 1000, times.end());
    return times[1000];
}

void print_measured(const char* what, const std::function<void()>& run) {
    const double time = measure(run);
    fmt::print("  {:26} {:4.0f} ns per call, {} calls\n", what, time / static_cast<double>(calls), calls);
}

}  // namespace

int main() {
    static NullBackend null;
    set_backend(Device::oracle, &null);
    set_memory(Device::oracle, &cpu_memory());
    const Tensor x = Tensor::ones({16, 16, 32}, Device::oracle),
                 weight = Tensor::ones({32, 32}, Device::oracle);
    const auto tape_and_backward = [&] {
        Tape tape;
        const Tensor y = forward(x, weight, false);
        tape.backward(y, x);
    };
    fmt::print("overhead of ops whose kernels compute nothing:\n");
    print_measured("plain", [&] { forward(x, weight, false); });
    print_measured("with names, not recorded", [&] { forward(x, weight, true); });
    print_measured("taped, with backward", tape_and_backward);
    print_measured("traced", [&] {
        Trace trace;
        forward(x, weight, true);
    });
    const auto training_step = [&] {
        Tape tape;
        tape.backward(model(x, weight), x);
    };
    const double untraced = measure(training_step), traced = measure([&] {
                                                        Trace trace;
                                                        training_step();
                                                    });
    fmt::print("a trace of {} steps and {} operations in a training step costs {:.1f} µs\n", step_count,
               operations, (traced - untraced) / 1000);
}
