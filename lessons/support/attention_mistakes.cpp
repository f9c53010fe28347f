#include "attention_mistakes.h"

#include <cmath>

#include <glassbox/ops/ops.h>

#include "compare.h"

namespace lesson {

using glassbox::index_t;
using glassbox::real;

namespace {

bool is_hidden(real score) { return score <= real(-1e9); }

// Every very low score as the lessons write it.
Tensor lowered(const Tensor& scores) {
    std::vector<real> values = scores.values();
    for (real& value : values)
        if (is_hidden(value)) value = real(hidden);
    return Tensor(scores.shape(), values);
}

}  // namespace

Tensor with_hidden_as_in(const Tensor& golden, const Tensor& masked) {
    std::vector<real> values = masked.values();
    const std::vector<real> wanted = golden.values();
    for (std::size_t i = 0; i < values.size(); ++i)
        if (is_hidden(wanted[i]) && is_hidden(values[i])) values[i] = wanted[i];
    return Tensor(masked.shape(), values);
}

std::string why_scaled(const Tensor& logits, const Tensor& scaled, index_t d_k,
                       const std::vector<index_t>& other_sizes) {
    if (agree(scaled, logits)) return "not-divided";
    if (agree(scaled, logits / static_cast<double>(d_k))) return "no-root";
    for (index_t size : other_sizes)
        if (agree(scaled, logits / std::sqrt(static_cast<double>(size)))) return "wrong-size";
    return "";
}

std::string why_masked(const Tensor& scaled, const Tensor& masked, const Tensor& attention,
                       const Tensor& mask) {
    const Tensor seen = broadcast_to(mask, scaled.shape());
    const Tensor unseen = Tensor::ones(seen.shape()) - seen;
    if (agree(lowered(masked), masked_fill(scaled, unseen, hidden))) return "inverted";
    const bool removed_later = agree(attention * unseen, Tensor::zeros(seen.shape()));
    if (agree(masked, scaled)) return removed_later ? "after-softmax" : "ignored";
    const bool seen_are_right = agree(masked * seen, scaled * seen);
    return seen_are_right ? "zero" : "";
}

std::string why_attention(const Tensor& masked, const Tensor& attention) {
    for (real weight : attention.values())
        if (!std::isfinite(weight)) return "overflow";
    if (agree(attention, transpose(softmax(transpose(masked))))) return "wrong-axis";
    const Tensor totals = sum(attention, -1, true);
    return agree(totals, Tensor::ones(totals.shape())) ? "" : "not-normalised";
}

}  // namespace lesson
