// What tensor, tape, trace and dispatch cost when the kernels compute nothing: nanoseconds an op.
//     build/release/bench/overhead
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include <glassbox/glassbox.h>
#include <glassbox/tensor/memory.h>

using namespace glassbox;

namespace {

// Every kernel returns at once.
class NullBackend : public Backend {
  public:
    const char* name() const override { return "null"; }
    void copy(const ConstView&, const View&) override {}
    void fill(const View&, real) override {}
    void unary(Unary, const ConstView&, const View&) override {}
    void binary(Binary, const ConstView&, const ConstView&, const View&) override {}
    void masked_fill(const ConstView&, const ConstView&, real, const View&) override {}
    void sum(const ConstView&, const View&) override {}
    void max(const ConstView&, const View&) override {}
    void softmax(const ConstView&, const View&) override {}
    void log_softmax(const ConstView&, const View&) override {}
    void softmax_backward(const ConstView&, const ConstView&, const View&) override {}
    void matmul(const ConstView&, const ConstView&, const View&) override {}
    void attention(const ConstView&, const ConstView&, const ConstView&, const AttentionParams&, const View&,
                   const View&) override {}
    void attention_backward(const ConstView&, const ConstView&, const ConstView&, const AttentionParams&,
                            const ConstView&, const ConstView&, const ConstView&, const View&, const View&,
                            const View&) override {}
};

constexpr int ops = 40;  // an encoder block's forward pass has about as many

// Attention's kinds of ops in turn: product, scale, softmax, sum of two.
Tensor forward(Tensor x, const Tensor& weight, bool with_names) {
    for (int i = 0; i < ops / 4; ++i) {
        x = matmul(x, weight);
        x = x * 0.5;
        x = softmax(x);
        x = x + x;
        if (with_names) x = named("x", x);
    }
    return x;
}

// The median of many runs: other programs disturb some of them.
double nanoseconds(const std::function<void()>& run) {
    using Clock = std::chrono::steady_clock;
    std::vector<double> times;
    for (int i = 0; i < 2000; ++i) {
        const auto begin = Clock::now();
        run();
        times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
    }
    std::nth_element(times.begin(), times.begin() + 1000, times.end());
    return times[1000];
}

}  // namespace

int main() {
    static NullBackend null;
    set_backend(Device::oracle, &null);
    set_memory(Device::oracle, &cpu_memory());
    const Tensor x = Tensor::ones({16, 16, 32}, Device::oracle),
                 weight = Tensor::ones({32, 32}, Device::oracle);

    const double plain = nanoseconds([&] { forward(x, weight, false); });
    const double with_names = nanoseconds([&] { forward(x, weight, true); });
    const double taped = nanoseconds([&] {
        Tape tape;
        forward(x, weight, false);
    });
    const double trained = nanoseconds([&] {
        Tape tape;
        const Tensor y = forward(x, weight, false);
        tape.backward(y, x);
    });
    const double traced = nanoseconds([&] {
        Trace trace;
        forward(x, weight, true);
    });
    fmt::print("overhead of {} ops whose kernels compute nothing, ns an op:\n", ops);
    fmt::print("  plain                      {:6.0f}\n", plain / ops);
    fmt::print("  with names nobody hears    {:6.0f}\n", with_names / ops);
    fmt::print("  taped                      {:6.0f}\n", taped / ops);
    fmt::print("  taped and played back      {:6.0f}   (backward makes about two ops of each)\n",
               trained / ops);
    fmt::print("  traced                     {:6.0f}\n", traced / ops);
}
