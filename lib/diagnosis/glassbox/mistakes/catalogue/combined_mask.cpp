#include <glassbox/layers/scaled_dot_product.h>

#include <glassbox/mistakes/catalogue/bands.h>
#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::scaled_dot_product;

namespace {

// A mask that is causal and hides padding, taken apart.
struct MaskParts {
    Tensor causal;   // (n_q, n_k)
    Tensor padding;  // (…, 1, n_k): a key that no query sees is padding
    bool are_there = false;
};

MaskParts parts_of(const Tensor& mask) {
    MaskParts parts;
    if (mask.rank() < 2 || mask.size(-1) > mask.size(-2)) return parts;  // the last query sees every real key
    parts.causal = band_like(mask, everything, 0);
    parts.padding = max(mask, -2, true);
    const bool is_product = mask.values() == (parts.causal * parts.padding).values();
    const real seen = sum(parts.padding).item();
    parts.are_there = is_product && seen < static_cast<real>(parts.padding.numel());
    return parts;
}

using OtherMask = Tensor (*)(const Tensor& causal, const Tensor& padding);

WrongValue hidden_by(OtherMask other) {
    return [=](const Frame& f, const Tensor&) {
        const MaskParts parts = parts_of(input(f, 1));
        if (!parts.are_there) return not_here;
        return masked_fill(input(f, 0), other(parts.causal, parts.padding), f.operation()["fill"]);
    };
}

}  // namespace

// For causal attention over padded sequences: one of the two masks is wrong.
std::vector<Mistake> combined_mask() {
    return {
        {step::masked, "padding-alone", "scaled, but fill where key j is padding",
         "Padding is hidden, but the future is not: the causal part of the mask is missing.",
         hidden_by([](const Tensor& causal, const Tensor& padding) {
             return broadcast_to(padding, (causal * padding).shape());
         })},
        {step::masked, "causal-alone", "scaled, but fill where j > i",
         "The future is hidden, but padding is not.",
         hidden_by([](const Tensor& causal, const Tensor& padding) {
             return broadcast_to(causal, (causal * padding).shape());
         })},
        {step::masked, "padding-of-queries", "scaled, but fill where j > i or query i is padding",
         "The padding hides the rows of queries instead of the columns of keys.",
         hidden_by([](const Tensor& causal, const Tensor& padding) {
             return padding.size(-1) == causal.size(-2) ? causal * transpose(padding) : not_here;
         })},
        {step::masked, "later-keys", "scaled, but fill where j < i or key j is padding",
         "The causal part is the wrong way round: each query sees itself and what follows.",
         hidden_by([](const Tensor& causal, const Tensor& padding) {
             return band_like(causal, 0, everything) * padding;
         })},
        {step::masked, "next-too", "scaled, but fill where j > i + 1 or key j is padding",
         "The causal part is off by one: each query sees the next position, which is its answer.",
         hidden_by([](const Tensor& causal, const Tensor& padding) {
             return band_like(causal, everything, 1) * padding;
         })},
        {step::masked, "one-key-of-padding", "scaled, but fill where j > i or j > length",
         "The lengths are one too large: the first padding key is seen.",
         hidden_by([](const Tensor& causal, const Tensor& padding) { return causal * widened(padding); })},
        {step::masked, "last-key-hidden", "scaled, but fill where j > i or j ≥ length − 1",
         "The lengths are one too small: the last real key is hidden.",
         hidden_by([](const Tensor& causal, const Tensor& padding) { return causal * narrowed(padding); })},
    };
}

}  // namespace glassbox::catalogue
