#include <glassbox/backend/defaults/value.h>

namespace glassbox {

using namespace defaults;

namespace {

// S with `value` in place of each score whose key is hidden from its query.
Value hidden(Value S, const AttentionParams& params, real value) {
    Backend& on = S.on();
    const Value i = column(arange(on, S.shape()[-2])), j = arange(on, S.shape()[-1]);  // (n_q, 1), (n_k)
    if (params.causal) S = where(1 - is_positive(j - i), S, value);                    // visible: j ≤ i
    if (params.lengths.data) {
        const Value lengths = column(column(Value(on, params.lengths)));  // (…, 1, 1)
        S = where(is_positive(lengths - j), S, value);                    // visible: j < length
    }
    return params.visible.data ? where(Value(on, params.visible), S, value) : S;  // (…, n_q, n_k)
}

// S = Q Kᵀ · scale, hidden keys filled
Value scores(const Value& Q, const Value& K, const AttentionParams& params) {
    return hidden(product(Q, transpose(K)) * params.scale, params, params.fill);  // (…, n_q, n_k)
}

}  // namespace

// O = softmax(S) V,  L = m + ln Σ_j exp(S_j − m)
void Backend::attention(const ConstView& q, const ConstView& k, const ConstView& v,
                        const AttentionParams& params, const View& values, const View& logsumexp) {
    const Value Q(*this, q), K(*this, k), V(*this, v);  // (…, n_q, d_k), (…, n_k, d_k), (…, n_k, d_v)
    const Value S = scores(Q, K, params), m = row_max(S);  // (…, n_q, n_k), (…, n_q, 1)
    assign(values, product(row_softmax(S), V));            // (…, n_q, d_v)
    assign(logsumexp, m + log(row_sum(exp(S - m))));       // (…, n_q)
}

// With P = softmax(S):  dV = Pᵀ dO,  dS = P ∘ (dO Vᵀ − rowsum(P ∘ dO Vᵀ)), 0 where hidden,  dQ = dS K ·
// scale, dK = dSᵀ Q · scale. P is recomputed from Q and K: L is of no use for a completely hidden row.
void Backend::attention_backward(const ConstView& q, const ConstView& k, const ConstView& v,
                                 const AttentionParams& params, const ConstView&, const ConstView&,
                                 const ConstView& dvalues, const View& dq, const View& dk, const View& dv) {
    const Value Q(*this, q), K(*this, k), V(*this, v), dO(*this, dvalues);
    const Value P = row_softmax(scores(Q, K, params));               // (…, n_q, n_k)
    const Value dP = product(dO, transpose(V));                      // (…, n_q, n_k)
    const Value dS = hidden(P * (dP - row_sum(P * dP)), params, 0);  // (…, n_q, n_k)
    assign(dq, product(dS, K) * params.scale);                       // (…, n_q, d_k)
    assign(dk, product(transpose(dS), Q) * params.scale);            // (…, n_k, d_k)
    assign(dv, product(transpose(P), dO));                           // (…, n_k, d_v)
}

}  // namespace glassbox
