#include "support/attention_case.h"

#include <cmath>
#include <limits>

#include "support/compare.h"

namespace glassbox_test {

using namespace glassbox;

AttentionParams AttentionInputs::params() const {
    AttentionParams all;
    all.scale = scale, all.fill = fill, all.causal = causal;
    const Shape leading = Q.shape().leading(Q.rank() - 2);
    const Shape scores = leading.with_appended(Q.size(-2)).with_appended(K.size(-2));
    if (lengths.defined()) all.lengths = lengths.view().broadcast_to(leading);
    if (visible.defined()) all.visible = visible.view().broadcast_to(scores);
    return all;
}

AttentionInputs AttentionInputs::on(Device device) const {
    AttentionInputs there = *this;
    for (Tensor* x : {&there.Q, &there.K, &there.V, &there.dO, &there.lengths, &there.visible})
        if (x->defined()) *x = x->to(device);
    return there;
}

AttentionInputs attention_inputs(Random& random, const AttentionSizes& s) {
    const Shape queries = s.leading.with_appended(s.n_q), keys = s.leading.with_appended(s.n_k);
    AttentionInputs in;
    in.Q = random.normal(queries.with_appended(s.d_k));
    in.K = random.normal(keys.with_appended(s.d_k));
    in.V = random.normal(keys.with_appended(s.d_v));
    in.dO = random.normal(queries.with_appended(s.d_v));
    in.scale = static_cast<real>(1 / std::sqrt(static_cast<double>(std::max<index_t>(s.d_k, 1))));
    return in;
}

void add_random_masks(Random& random, AttentionInputs& in) {
    const Shape leading = in.Q.shape().leading(in.Q.rank() - 2);
    const Shape scores = leading.with_appended(in.Q.size(-2)).with_appended(in.K.size(-2));
    const real fills[] = {real(-9e15), real(-1e14), -infinity, -2, 0, infinity};
    in.fill = fills[random.whole(0, 9) == 0 ? random.whole(3, 5) : random.whole(0, 2)];
    in.causal = random.whole(0, 2) == 0;
    if (random.whole(0, 2) == 0) {
        in.lengths = Tensor::empty(leading);
        const View view = in.lengths.writable();
        for (index_t i = 0; i < leading.numel(); ++i)
            view.data[i] = static_cast<real>(random.whole(0, in.K.size(-2)));
    }
    if (random.whole(0, 2) == 0) in.visible = random.zeros_and_ones(random.broadcastable(scores));
}

AttentionResults attention_buffers(const AttentionInputs& in, Device device) {
    const auto room = [&](const Shape& shape) { return Tensor::full(shape, NaN, device); };
    return {room(in.dO.shape()), room(in.Q.shape().without(-1)), room(in.Q.shape()), room(in.K.shape()),
            room(in.V.shape())};
}

AttentionResults run_attention(Device device, const AttentionInputs& inputs) {
    return run_attention(backend(device), inputs);
}

AttentionResults run_attention(Backend& kernels, const AttentionInputs& inputs) {
    const AttentionInputs in = inputs.on(kernels.device());
    const AttentionParams params = in.params();
    AttentionResults out = attention_buffers(in, kernels.device());
    kernels.attention(in.Q.view(), in.K.view(), in.V.view(), params, out.O.writable(), out.L.writable());
    kernels.attention_backward(in.Q.view(), in.K.view(), in.V.view(), params, out.O.view(), out.L.view(),
                               in.dO.view(), out.dQ.writable(), out.dK.writable(), out.dV.writable());
    return out;
}

void check_same(const AttentionResults& actual, const AttentionResults& expected, const Tolerance& forwards,
                const Tolerance& backwards) {
    check_close(actual.O, expected.O, forwards, "O");
    check_close(actual.dQ, expected.dQ, backwards, "dQ");
    check_close(actual.dK, expected.dK, backwards, "dK");
    check_close(actual.dV, expected.dV, backwards, "dV");
}

}  // namespace glassbox_test
