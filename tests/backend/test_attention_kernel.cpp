#include <glassbox/backend/parallel.h>

#include <fstream>
#include <limits>
#include <string>

#include "support/attention_case.h"
#include "support/compare.h"
#include "support/devices.h"
#include "support/kernel_calls.h"
#include "support/random.h"

// A device's fused kernels against plain loops in double over the full matrix, as defined.
using namespace glassbox;
using namespace glassbox_test;

namespace {

// For the device's fused kernels; the oracle is the definition itself.
void check_against_definition(Device device, const AttentionInputs& in) {
    if (device == Device::oracle) return;
    const AttentionResults expected = run_attention(Device::oracle, in);
    check_same(run_attention(device, in), expected, fused.with_nan(), chain.with_nan());
}

AttentionSizes small_sizes(Random& random) {
    return {random.shape(0, 3, 3), random.whole(1, 20), random.whole(0, 20), random.whole(1, 9),
            random.whole(1, 9)};
}

}  // namespace

DEVICE_TEST("fused attention equals its definition, with any mask, on any small shape") {
    for_seeds(300, [&](Random& random) {
        AttentionInputs in = attention_inputs(random, small_sizes(random));
        add_random_masks(random, in);
        check_against_definition(device, in);
    });
}

DEVICE_TEST("fused attention equals its definition across tile boundaries") {
    for_seeds(24, [&](Random& random) {
        AttentionInputs in =
            attention_inputs(random, {Shape{random.whole(1, 2)}, random.whole(1, 300), random.whole(1, 1300),
                                      random.whole(1, 8), random.whole(1, 8)});
        add_random_masks(random, in);
        check_against_definition(device, in);
    });
}

DEVICE_TEST("fused attention reads heads, transposes and gaps in place") {
    for_seeds(100, [&](Random& random) {
        AttentionInputs in = attention_inputs(random, small_sizes(random));
        add_random_masks(random, in);
        const AttentionResults expected = run_attention(device, in);
        for (Tensor* x : {&in.Q, &in.K, &in.V, &in.dO, &in.lengths, &in.visible})
            if (x->defined()) *x = random.scattered(*x, device);
        check_same(run_attention(device, in), expected, fused.with_nan(), chain.with_nan());
    });
}

DEVICE_TEST("fused attention reads a gradient with stride 0") {
    Random random(1);
    AttentionInputs in = attention_inputs(random, {{2, 3}, 5, 7, 4, 3});
    in.dO = Tensor::ones({1}, device).alias(in.dO.shape(), Strides{});
    check_against_definition(device, in);
}

DEVICE_TEST("fused attention propagates NaN and infinity like its definition") {
    for_seeds(200, [&](Random& random) {
        AttentionInputs in = attention_inputs(random, small_sizes(random));
        add_random_masks(random, in);
        Tensor* const tensors[] = {&in.Q, &in.K, &in.V};
        spoil(random, *tensors[random.whole(0, 2)]);
        check_against_definition(device, in);
    });
}

DEVICE_TEST("NaN in a hidden value is not skipped with its tile: 0 · NaN is NaN") {
    Random random(2);
    AttentionInputs in = attention_inputs(random, {{1}, 3, 1200, 2, 2});
    in.causal = true, in.fill = -infinity;
    in.V.writable().data[1100 * 2] = NaN;
    check_against_definition(device, in);
    const AttentionResults out = run_attention(device, in);
    CHECK(std::isnan(out.O.at({0, 0, 0})));
    CHECK_FALSE(std::isnan(out.O.at({0, 0, 1})));
}

DEVICE_TEST("a row without a visible key is the mean of all values with a finite fill, NaN with −∞") {
    for (index_t n_k : {3, 1300}) {
        AttentionInputs in;
        in.Q = Tensor::ones({1, 2, 4});
        in.K = Tensor::ones({1, n_k, 4});
        in.V = Tensor::empty({1, n_k, 1});
        for (index_t j = 0; j < n_k; ++j) in.V.writable().data[j] = static_cast<real>(j % 3);
        in.dO = Tensor::ones({1, 2, 1});
        in.lengths = Tensor(Shape{1}, {0});
        double mean = 0;
        for (index_t j = 0; j < n_k; ++j) mean += static_cast<double>(j % 3) / static_cast<double>(n_k);
        for (real fill : {real(-9e15), real(-1e14)}) {
            in.fill = fill;
            const AttentionResults out = run_attention(device, in);
            CHECK(out.O.at({0, 1, 0}) == Approx(mean));
            CHECK(out.dV.at({0, n_k - 1, 0}) == Approx(2.0 / static_cast<double>(n_k)));
            CHECK(out.dQ.at({0, 0, 0}) == 0);
            CHECK(out.dK.at({0, 0, 0}) == 0);
        }
        in.fill = -infinity;
        const AttentionResults out = run_attention(device, in);
        CHECK(std::isnan(out.O.at({0, 1, 0})));
        CHECK(std::isnan(out.dV.at({0, 0, 0})));
    }
}

DEVICE_TEST("without keys the values are 0") {
    Random random(3);
    const AttentionInputs in = attention_inputs(random, {{2}, 3, 0, 4, 5});
    const AttentionResults out = run_attention(device, in);
    check_close(out.O, Tensor::zeros({2, 3, 5}), exact, "O");
    check_close(out.dQ, Tensor::zeros({2, 3, 4}), exact, "dQ");
}

DEVICE_TEST("weights of hidden keys are exactly 0: their values change no bit") {
    Random random(4);
    AttentionInputs in = attention_inputs(random, {{2, 2}, 150, 700, 8, 8});
    in.lengths = Tensor(Shape{2, 1}, {130, 600});
    in.fill = real(-9e15);
    const AttentionResults before = run_attention(device, in);
    for (index_t head : {0, 1})
        for (index_t j = 130; j < 700; ++j) {
            in.K.writable().data[(head * 700 + j) * 8] = 1000;
            in.V.writable().data[(head * 700 + j) * 8] = -1000;
        }
    const AttentionResults after = run_attention(device, in);
    check_same(after, before, exact, exact);
}

DEVICE_TEST("large scores lose no digits in the backward pass") {
    Random random(5);
    AttentionInputs in = attention_inputs(random, {{2}, 10, 600, 4, 3});
    // Every score is about 20 000, where adjacent floats are 0.002 apart.
    for (Tensor* x : {&in.Q, &in.K}) {
        const View view = x->writable();
        for (index_t i = 0; i < x->numel(); ++i) view.data[i] = i % 4 == 0 ? 128 : real(i % 3) / 16;
    }
    in.scale = 1;
    check_against_definition(device, in);
}

TEST_CASE("fused attention gives the same bits on any number of threads") {
    Random random(6);
    AttentionInputs in = attention_inputs(random, {{3}, 333, 1111, 16, 24});
    in.causal = true, in.fill = real(-9e15);
    const int before = num_threads();
    set_num_threads(1);
    const AttentionResults one = run_attention(Device::cpu, in);
    for (int threads : {2, 3, 7}) {
        set_num_threads(threads);
        check_same(run_attention(Device::cpu, in), one, exact, exact);
    }
    set_num_threads(before);
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

// Peak memory of this process since the last reset, in kB.
double peak_kb() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == "VmHWM:") {
            double kb = 0;
            status >> kb;
            return kb;
        }
    return 0;
}

bool reset_peak() {
    std::ofstream refs("/proc/self/clear_refs");
    refs << 5 << std::flush;
    return refs.good();
}

}  // namespace

TEST_CASE("fused attention needs less than 8 MB besides inputs and outputs, at 4096 queries and keys") {
    Random random(7);
    const AttentionInputs in =
        attention_inputs(random, {{1}, 4096, 4096, 8, 8});  // the full matrix has 16.8 million scores
    // Inputs and outputs, 1 MB in total, are included.
    if (!reset_peak()) SKIP("this system does not let a process reset its peak of memory");
    const double before = peak_kb();
    run_attention(Device::cpu, in);
    CHECK(peak_kb() - before < 8 * 1024 * static_cast<double>(sizeof(real)) / 4);
}
#endif
