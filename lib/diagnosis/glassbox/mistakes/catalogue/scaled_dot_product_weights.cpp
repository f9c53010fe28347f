#include <glassbox/layers/scaled_dot_product.h>

#include <glassbox/mistakes/catalogue/bands.h>
#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::scaled_dot_product;

namespace {

// exp(x − m), m the largest number of each row.
Tensor stable_exp(const Tensor& x) { return exp(x - max(x, -1, true)); }

// Other scores, with the same keys hidden.
Tensor hidden_as_here(const Frame& f, const Tensor& scores) {
    const Tensor mask = mask_of(f);
    return mask.defined() ? masked_fill(scores, mask, f.operation("masked")["fill"]) : scores;
}

// The softmax over one axis, counted from the last one; undefined if there is only one entry.
Tensor softmax_over(const Tensor& x, int axis) {
    return has_several(x, axis) ? swap_axes(softmax(swap_axes(x, axis, -1)), axis, -1) : not_here;
}

}  // namespace

// attention = softmax(masked)
std::vector<Mistake> scaled_dot_product_weights() {
    return {
        Mistake{step::attention, "over-queries", "softmax(maskedᵀ)ᵀ",
                "The softmax runs over the queries: the columns sum to 1, not the rows.",
                [](const Frame& f, const Tensor&) { return transpose(softmax(transpose(input(f, 0)))); }}
            .seen("https://github.com/labmlai/annotated_deep_learning_paper_implementations/issues/146"),
        {step::attention, "summed-over-queries", "exp(masked − m) / Σ exp(masked − m), over the queries",
         "The denominator sums over the queries: the columns sum to 1, not the rows.",
         [](const Frame& f, const Tensor&) {
             const Tensor powers = stable_exp(input(f, 0));
             return powers / sum(powers, -2, true);
         }},
        Mistake{step::attention, "over-batch", "softmax(masked), over the batch",
                "The softmax runs over the sequences of the batch, which are independent.",
                [](const Frame& f, const Tensor&) { return softmax_over(input(f, 0), batch_axis(f)); }}
            .seen("https://github.com/PetrochukM/PyTorch-NLP/issues/2")
            .in_class("heads or a batch"),
        Mistake{step::attention, "over-heads", "softmax(masked), over the heads",
                "The softmax runs over the heads, which then share the weight of a key.",
                [](const Frame& f, const Tensor&) { return softmax_over(input(f, 0), -3); }}
            .in_class("heads or a batch"),
        Mistake{step::attention, "over-heads-and-keys", "softmax(masked), over the keys of all heads",
                "The keys of all heads share one softmax; the weights of each head should sum to 1.",
                [](const Frame& f, const Tensor&) {
                    if (!has_several(input(f, 0), -3)) return not_here;
                    const Tensor x = swap_axes(input(f, 0), -3, -2);  // (…, n_q, h, n_k)
                    const Shape one_row = x.shape().with(-1, x.size(-1) * x.size(-2)).without(-2);
                    const Tensor weights = softmax(reshape(x, one_row));
                    return swap_axes(reshape(weights, x.shape()), -3, -2);
                }}
            .seen("https://github.com/facebookresearch/detr/issues/247"),
        {step::attention, "everything", "softmax of all scores together",
         "All weights of a head sum to 1 together; each query's should.",
         [](const Frame& f, const Tensor&) {
             const Tensor x = input(f, 0);
             const Shape one_row = x.shape().with(-1, x.size(-1) * x.size(-2)).without(-2);
             return reshape(softmax(reshape(x, one_row)), x.shape());
         }},
        {step::attention, "whole-batch", "softmax of the scores of all heads and sequences together",
         "All weights of the batch sum to 1 together, as after a sum without an axis.",
         [](const Frame& f, const Tensor&) {
             const Tensor x = input(f, 0);
             return x.rank() > 2 ? reshape(softmax(reshape(x, {x.numel()})), x.shape()) : not_here;
         }},
        Mistake{step::attention, "overflow", "exp(masked) / Σ exp(masked)",
                "The largest number of the row is not subtracted: exp of a large score is infinite, and exp "
                "of low ones is 0 for a whole row.",
                [](const Frame& f, const Tensor&) {
                    const Tensor powers = exp(input(f, 0));
                    return powers / sum(powers, -1, true);
                }}
            .by_overflow()
            .seen("https://github.com/pytorch/executorch/pull/18407"),
        {step::attention, "largest-of-queries", "exp(masked − m) / Σ exp, m the largest of each column",
         "Each key's largest score over the queries is subtracted, which differs from key to key and so "
         "changes the weights. Subtract one number per row.",
         [](const Frame& f, const Tensor&) {
             const Tensor powers = exp(input(f, 0) - max(input(f, 0), -2, true));
             return powers / sum(powers, -1, true);
         }},
        {step::attention, "sum-of-other-row", "exp(masked − m)[i, j] / Σ exp(masked − m)[j]",
         "Column j is divided by the sum of row j: without keepdims the sums of the rows lie along the keys.",
         [](const Frame& f, const Tensor&) {
             const Tensor powers = stable_exp(input(f, 0));
             return is_square(powers) ? powers / transpose(sum(powers, -1, true)) : not_here;
         }},
        {step::attention, "largest-of-other-row", "exp(masked[i, j] − m[j]) / Σ",
         "From column j the largest score of row j is subtracted: without keepdims these lie along the keys.",
         [](const Frame& f, const Tensor&) {
             const Tensor x = input(f, 0);
             return is_square(x) ? softmax(x - transpose(max(x, -1, true))) : not_here;
         }},
        {step::attention, "mean", "exp(masked) / mean exp(masked)",
         "The mean is taken instead of the sum: the weights of a query sum to the number of keys.",
         [](const Frame& f, const Tensor& made) { return made * size(input(f, 0), -1); }},
        {step::attention, "not-normalised", "exp(masked − m)",
         "The division by the row's sum is missing: the weights do not sum to 1.",
         [](const Frame& f, const Tensor&) { return stable_exp(input(f, 0)); }},
        Mistake{step::attention, "scaled-after", "softmax(masked logits) / √d_k",
                "The weights are divided by √d_k, not the scores: they do not sum to 1.",
                [](const Frame& f, const Tensor&) {
                    if (!f.contains("scaled")) return not_here;
                    const Tensor weights = softmax(hidden_as_here(f, f["logits"]));
                    return weights / std::sqrt(size(f["K"], -1));
                }}
            .seen("https://github.com/FrancescoSaverioZuppichini/ViT/issues/2"),
        {step::attention, "root-of-squares", "exp(masked − m) / √Σ exp²",
         "Divided by the length of the row, not by its sum: the weights do not sum to 1.",
         [](const Frame& f, const Tensor&) {
             const Tensor powers = stable_exp(input(f, 0));
             return powers / sqrt(sum(powers * powers, -1, true));
         }},
        {step::attention, "plus-one", "exp(masked) / (1 + Σ exp(masked))",
         "There is an extra 1 in the denominator: the weights sum to less than 1.",
         [](const Frame& f, const Tensor&) {
             const Tensor x = input(f, 0), m = max(x, -1, true), powers = exp(x - m);
             return powers / (sum(powers, -1, true) + exp(-m));
         }},
        {step::attention, "largest-in-numerator", "exp(masked − m) / Σ exp(masked)",
         "The row's largest number is subtracted above the line alone; the sum needs it, too.",
         [](const Frame& f, const Tensor&) {
             return stable_exp(input(f, 0)) / sum(exp(input(f, 0)), -1, true);
         }},
        {step::attention, "largest-in-denominator", "exp(masked) / Σ exp(masked − m)",
         "The row's largest number is subtracted below the line alone; the power above needs it, too.",
         [](const Frame& f, const Tensor&) {
             return exp(input(f, 0)) / sum(stable_exp(input(f, 0)), -1, true);
         }},
        {step::attention, "no-exp", "masked / Σ masked",
         "The scores are divided by their sum without exp, so weights may be negative.",
         [](const Frame& f, const Tensor&) { return input(f, 0) / sum(input(f, 0), -1, true); }},
        {step::attention, "log", "ln softmax(masked)", "These are logarithms of the weights, all negative.",
         [](const Frame& f, const Tensor&) { return log_softmax(input(f, 0)); }},
        {step::attention, "sigmoid", "1 / (1 + exp(−masked))",
         "Each weight is computed on its own (a sigmoid): the keys of a query do not compete.",
         [](const Frame& f, const Tensor&) { return sigmoid(input(f, 0)); }},
        {step::attention, "left-out", "masked", "The softmax is missing: the scores are used as weights.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {step::attention, "negated", "softmax(−masked)",
         "The sign is wrong: the lowest score, even a hidden one, gets the largest weight.",
         [](const Frame& f, const Tensor&) { return softmax(-input(f, 0)); }},
        Mistake{step::attention, "twice", "softmax(softmax(masked))",
                "The softmax is applied to weights: they become nearly equal, and hidden keys visible again.",
                [](const Frame&, const Tensor& made) { return softmax(made); }}
            .of_made(),
        Mistake{step::attention, "base", "2^masked / Σ 2^masked",
                "The powers are of 2 instead of e: the weights are more even.",
                [](const Frame& f, const Tensor&) { return softmax(input(f, 0) * std::log(2.0)); }}
            .in_class("powers of another base"),
        Mistake{step::attention, "base-10", "10^masked / Σ 10^masked",
                "The powers are of 10 instead of e: the weights are less even.",
                [](const Frame& f, const Tensor&) { return softmax(input(f, 0) * std::log(10.0)); }}
            .in_class("powers of another base"),
        {step::attention, "largest-only", "1 for the largest score, else 0",
         "The largest score gets all the weight: a hard maximum, which passes no gradient to the scores.",
         [](const Frame& f, const Tensor&) {
             const Tensor x = input(f, 0);
             return 1 - (max(x, -1, true) > x);
         }},
        Mistake{step::attention, "uniform", "1 / the number of visible keys",
                "All weights are equal: the scores are not used.",
                [](const Frame& f, const Tensor&) { return softmax(hidden_as_here(f, input(f, 0) * 0.0)); }}
            .in_class("equal weights"),
        {step::attention, "not-itself", "softmax(masked, but 0 at i = j)",
         "A position's score for itself is set to 0.",
         [](const Frame& f, const Tensor&) {
             const Tensor scores = input(f, 0);
             return is_square(scores) ? softmax(where(band_like(scores, 0, 0), 0, scores)) : not_here;
         }},
        {step::attention, "scores", "scaled, but 0 where the mask is 0",
         "These are the scores of the visible keys; their softmax is missing.",
         [](const Frame& f, const Tensor&) {
             return mask_of(f).defined() ? f.operation("masked").inputs[0] * mask_of(f) : not_here;
         }},
        Mistake{step::attention, "one-head", "softmax(masked_1)",
                "Every head has the first head's weights instead of its own.",
                [](const Frame&, const Tensor& made) { return first_for_all(made, -3); }}
            .in_class("one head's weights"),
        {step::attention, "one-row", "softmax(masked), its first row",
         "Every query has the first one's weights.",
         [](const Frame&, const Tensor& made) { return first_for_all(made, -2); }},
        Mistake{step::attention, "reversed", "softmax(masked), its columns in reverse order",
                "The weights are in reverse order: the first key's weight goes to the last value.",
                [](const Frame&, const Tensor& made) { return reversed(made, -1); }}
            .in_class("weights and values in opposite orders"),
    };
}

}  // namespace glassbox::catalogue
