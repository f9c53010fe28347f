// A backend's own kernels against the default bodies on the same backend's required kernels: own kernels may
// only be faster.
#include <algorithm>
#include <limits>
#include <vector>

#include <glassbox/conventions/made.h>
#include <glassbox/observe/tape.h>
#include <glassbox/ops/dropout.h>
#include <glassbox/ops/ops.h>

#include "support/attention_case.h"
#include "support/compare.h"
#include "support/default_kernels.h"
#include "support/devices.h"
#include "support/kernel_calls.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

// A partial backend: some kernels of its own, default bodies for the others.
class HalfDefault : public DefaultKernels {
  public:
    explicit HalfDefault(Backend& inner) : DefaultKernels(inner), own_(inner) {}
    void softmax(const ConstView& x, const View& y) override { own_.softmax(x, y); }
    void log_softmax(const ConstView& x, const View& y) override { own_.log_softmax(x, y); }
    void gelu(const ConstView& x, Activation form, const View& y) override { own_.gelu(x, form, y); }

  private:
    Backend& own_;
};

void check_defaults(const KernelCall& call, const Tolerance& tolerance, Backend& defaults, Random& random) {
    INFO(call.name);
    const std::vector<Tensor> expected = results(call, backend(defaults.device()), nullptr);
    const std::vector<Tensor> found = results(call, defaults, random.whole(0, 1) ? &random : nullptr);
    for (std::size_t i = 0; i < found.size(); ++i)
        check_close(found[i], expected[i], tolerance, call.name + (" " + std::to_string(i)));
}

void check_attention(const AttentionInputs& in, Backend& defaults) {
    const AttentionResults expected = run_attention(defaults.device(), in);
    check_same(run_attention(defaults, in), expected, fused.with_nan(), chain.with_nan());
}

AttentionInputs masked_attention(Random& random) {
    AttentionInputs in =
        attention_inputs(random, {random.shape(0, 3, 3), random.whole(1, 20), random.whole(0, 20),
                                  random.whole(1, 9), random.whole(1, 9)});
    add_random_masks(random, in);
    return in;
}

// Registers these kernels for their device, and restores the previous ones at the end.
class Seated {
  public:
    explicit Seated(Backend& kernels) : before_(&backend(kernels.device())) {
        set_backend(kernels.device(), &kernels);
    }
    Seated(const Seated&) = delete;
    Seated& operator=(const Seated&) = delete;
    ~Seated() { set_backend(before_->device(), before_); }

  private:
    Backend* before_;
};

// Output, loss and gradients of an encoder block with dropout that sees only the first keys.
std::vector<Tensor> trained_block(const EncoderBlock& made, const Tensor& x, const Tensor& labels,
                                  Device device) {
    EncoderBlock block = made;
    parameters_of(block).move_to(device);
    const DropoutScope dropping(42, 0);
    Tape tape;
    const Tensor input = x.to(device);
    const Tensor y = block(input, Mask::lengths({4, 3}));
    CrossEntropyOptions options;
    options.label_smoothing = 0.125;
    const Tensor loss = sum(cross_entropy(y, labels.to(device), options));
    tape.backward(loss);
    std::vector<Tensor> all{y, loss, tape.gradient(input)};
    for (const Parameters::Entry& entry : parameters_of(block).entries())
        all.push_back(tape.gradient(*entry.tensor));
    return all;
}

}  // namespace

DEVICE_TEST("every kernel equals its default body, on any small shape and layout, with every option") {
    if (device == Device::oracle) return;  // has no others
    DefaultKernels defaults(backend(device));
    for_seeds(1500, [&](Random& random) {
        const KernelCall call = any_call(random);
        check_defaults(call, call.tolerance, defaults, random);
    });
}

DEVICE_TEST("attention equals its default body, with any mask, without keys, and where all are hidden") {
    if (device == Device::oracle) return;
    DefaultKernels defaults(backend(device));
    for_seeds(300, [&](Random& random) { check_attention(masked_attention(random), defaults); });
}

DEVICE_TEST("default bodies also work with a backend's own softmax and gelu") {
    if (device == Device::oracle) return;
    HalfDefault half(backend(device));
    for_seeds(300, [&](Random& random) {
        const KernelCall call = any_call(random);
        check_defaults(call, call.tolerance, half, random);
        check_attention(masked_attention(random), half);
    });
}

DEVICE_TEST("NaN, infinities and rows of −∞ propagate as in the default bodies") {
    if (device == Device::oracle) return;
    DefaultKernels defaults(backend(device));
    for_seeds(300, [&](Random& random) {
        const index_t n = random.whole(1, 20);
        KernelCall calls[] = {softmaxes(random, n), cross_entropies(random, n), layer_norms(random, n)};
        for (KernelCall& call : calls) {
            Tensor& x = call.inputs[0];
            spoil(random, x);
            if (random.whole(0, 3) == 0 && x.numel() > 0) std::fill_n(x.writable().data, n, -infinity);
            check_defaults(call, call.tolerance.with_nan(), defaults, random);
        }
        AttentionInputs in = masked_attention(random);
        Tensor* const tensors[] = {&in.Q, &in.K, &in.V};
        spoil(random, *tensors[random.whole(0, 2)]);
        check_attention(in, defaults);
    });
}

TEST_CASE("a backend with only the required kernels trains an encoder block like the cpu") {
    if (!is_available(Device::oracle)) SKIP("no oracle");
    Random random(1);
    DefaultKernels minimal(backend(Device::cpu), Device::oracle);
    const Seated seated(minimal);
    const Tensor x = random.normal({2, 4, 6}), labels = integers(random, {2, 4}, -1, 5);
    for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre})
        for (const Activation activation : {Activation::relu, Activation::gelu, Activation::gelu_tanh}) {
            BlockChoices config;
            config.d_model = 6, config.heads = 3, config.d_ff = 5, config.dropout = 0.25;
            config.norm = norm, config.activation = activation;
            const auto block = made<EncoderBlock>(config, *make_stream(Rng::jax, 3));
            const std::vector<Tensor> expected = trained_block(block, x, labels, Device::cpu);
            const std::vector<Tensor> found = trained_block(block, x, labels, Device::oracle);
            REQUIRE(found.size() == expected.size());
            for (std::size_t i = 0; i < found.size(); ++i) {
                CHECK(found[i].device() == Device::oracle);
                check_close(found[i], expected[i], deep, "result " + std::to_string(i));
            }
        }
}
