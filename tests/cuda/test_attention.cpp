// Fused attention on the GPU, beyond tests/backend/test_attention_kernel.cpp: tile and width
// boundaries.
#include <glassbox/backend/backend.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/memory.h>

#include <algorithm>
#include <limits>

#include "support/attention_case.h"
#include "support/compare.h"
#include "support/devices.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

void check_all(const AttentionInputs& in) {
    const AttentionResults expected = run_attention(Device::oracle, in);
    check_same(run_attention(Device::cuda, in), expected, fused.with_nan(), chain.with_nan());
}

// x (1, heads, n, d) on the GPU as a view of (1, n, heads · d), the output of a projection.
Tensor as_heads(const Tensor& x) {
    const index_t heads = x.size(1), n = x.size(2), d = x.size(3);
    const Tensor joined = reshape(permute(x, {0, 2, 1, 3}), {1, n, heads * d}).to(Device::cuda);
    return permute(reshape(joined, {1, n, heads, d}), {0, 2, 1, 3});
}

}  // namespace

TEST_CASE("fused attention equals the definition, for widths 1 to 130 and any mask (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    for_seeds(60, [](Random& random) {
        const index_t widths[] = {1, 4, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 130};
        const auto width = [&] {
            return random.whole(0, 1) ? widths[random.whole(0, 12)] : random.whole(1, 130);
        };
        AttentionInputs in = attention_inputs(
            random, {random.shape(0, 2, 2), random.whole(1, 20), random.whole(0, 20), width(), width()});
        add_random_masks(random, in);
        check_all(in);
    });
}

TEST_CASE("fused attention equals the definition around tile boundaries (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    for_seeds(30, [](Random& random) {
        const index_t extents[] = {63, 64, 65, 127, 128, 129, 191, 200};
        AttentionInputs in =
            attention_inputs(random, {random.shape(0, 1, 2), extents[random.whole(0, 7)],
                                      extents[random.whole(0, 7)], random.whole(1, 9), random.whole(1, 9)});
        add_random_masks(random, in);
        check_all(in);
    });
}

TEST_CASE("NaN hidden by a mask is found in tiles that could be skipped (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    for_seeds(12, [](Random& random) {
        AttentionInputs in = attention_inputs(random, {{2}, 200, 200, 3, 3});
        in.causal = true;
        in.fill = random.whole(0, 1) ? real(-9e15) : -std::numeric_limits<real>::infinity();
        if (random.whole(0, 1)) in.lengths = Tensor(Shape{2}, {150, 70});
        Tensor* const tensors[] = {&in.Q, &in.K, &in.V, &in.dO};
        Tensor& spoiled = *tensors[random.whole(0, 3)];
        spoiled.writable().data[random.whole(0, spoiled.numel() - 1)] =
            std::numeric_limits<real>::quiet_NaN();
        check_all(in);
    });
}

TEST_CASE("more than 1024 queries or keys, heads as views, reproducible bits (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    Random random(1);
    for (const auto& [n_q, n_k] : {std::pair<index_t, index_t>(1100, 70), {70, 1100}}) {
        AttentionInputs in = attention_inputs(random, {{1, 2}, n_q, n_k, 8, 12});
        in.causal = true, in.fill = real(-9e15);
        const AttentionResults expected = run_attention(Device::oracle, in);
        for (Tensor* x : {&in.Q, &in.K, &in.V, &in.dO}) *x = as_heads(*x);
        const AttentionResults once = run_attention(Device::cuda, in);
        check_same(once, expected, fused, chain);
        check_same(run_attention(Device::cuda, in), once, exact, exact);
    }
}

TEST_CASE("the memory of fused attention besides inputs and outputs grows with n, not with n² (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    const auto extra = [](index_t n) {
        Random random(2);
        AttentionInputs in = attention_inputs(random, {{1}, n, n, 4, 4}).on(Device::cuda);
        in.causal = true;
        const AttentionParams params = in.params();
        AttentionResults out = attention_buffers(in, Device::cuda);
        Memory& gpu = memory(Device::cuda);
        gpu.reset_peak_use();
        backend(Device::cuda)
            .attention(in.Q.view(), in.K.view(), in.V.view(), params, out.O.writable(), out.L.writable());
        backend(Device::cuda)
            .attention_backward(in.Q.view(), in.K.view(), in.V.view(), params, out.O.view(), out.L.view(),
                                in.dO.view(), out.dQ.writable(), out.dK.writable(), out.dV.writable());
        return static_cast<double>(gpu.use().peak_in_use - gpu.use().in_use);
    };
    const double at_500 = extra(500), at_1000 = extra(1000);
    CHECK(at_500 < 500 * 4 * sizeof(real));
    CHECK(at_1000 < 2.1 * at_500);
}
