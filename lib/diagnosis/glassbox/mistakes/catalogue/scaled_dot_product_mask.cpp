#include <limits>

#include <glassbox/layers/scaled_dot_product.h>

#include <glassbox/mistakes/catalogue/bands.h>
#include <glassbox/mistakes/catalogue/lines.h>
#include <glassbox/ops/testing.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::scaled_dot_product;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// masked = scores, but fill where another mask is 0.
using OtherMask = Tensor (*)(const Tensor& mask, const Tensor& scores);

WrongValue hidden_by(OtherMask other) {
    return [=](const Frame& f, const Tensor&) {
        const Tensor scores = input(f, 0), mask = other(input(f, 1), scores);
        return mask.defined() ? masked_fill(scores, mask, f.operation()["fill"]) : not_here;
    };
}

WrongValue filled_with(double fill) {
    return [=](const Frame& f, const Tensor&) { return masked_fill(input(f, 0), input(f, 1), fill); };
}

// Whether there is one mask for each sequence, for all heads.
bool has_one_for_each(const Tensor& mask, const Tensor& scores) {
    return mask.rank() == 4 && scores.rank() == 4 && mask.size(1) == 1 && mask.size(0) == scores.size(0) &&
           mask.size(0) > 1 && scores.size(1) > 1;
}
Shape with_heads(const Tensor& mask, const Tensor& scores) { return mask.shape().with(1, scores.size(1)); }
// The mask of (b, i) is number b h + i of the masks one after the other, h times.
Tensor tiled(const Tensor& mask, const Tensor& scores) {
    if (!has_one_for_each(mask, scores)) return not_here;
    const std::vector<Tensor> copies(static_cast<std::size_t>(scores.size(1)), mask);
    return reshape(concat(copies, 0), with_heads(mask, scores));
}
// The mask of (b, i) is number i n + b of the masks with each h times in a row.
Tensor interleaved(const Tensor& mask, const Tensor& scores) {
    if (!has_one_for_each(mask, scores)) return not_here;
    const Tensor in_rows = contiguous(broadcast_to(mask, with_heads(mask, scores)));
    const Shape head_first = mask.shape().with(0, scores.size(1)).with(1, scores.size(0));
    return contiguous(swap_axes(reshape(in_rows, head_first), 0, 1));
}

// 1 for the queries that see no key at all: (…, n_q, 1)
Tensor without_keys(const Frame& f) { return 1 - max(mask_of(f), -1, true); }

std::vector<Mistake> of_order() {
    return {
        Mistake{step::masked, "after-softmax", "scaled, and attention ∘ mask",
                "The mask is applied after the softmax: hidden keys are part of the sum, and the rows no "
                "longer sum to 1.",
                [](const Frame& f, const Tensor&) { return input(f, 0); }}
            .seen("https://github.com/huggingface/pytorch-image-models/pull/2236")
            .and_at(step::attention,
                    [](const Frame& f, const Tensor&) {
                        return mask_of(f).defined() ? softmax(input(f, 0)) * mask_of(f) : not_here;
                    })
            .in_class("a mask after the softmax"),
        Mistake{step::attention, "mask-after", "softmax(scaled) ∘ mask",
                "The mask is applied after the softmax of unmasked scores: the rows no longer sum to 1.",
                [](const Frame& f, const Tensor&) {
                    if (!mask_of(f).defined()) return not_here;
                    return softmax(f.operation("masked").inputs[0]) * mask_of(f);
                }}
            .in_class("a mask after the softmax"),
        Mistake{step::attention, "renormalised", "softmax(scaled) ∘ mask / Σ",
                "The mask is applied after the softmax, and the rows are renormalised: equivalent, as long "
                "as the visible keys have any weight left.",
                [](const Frame& f, const Tensor&) {
                    if (!mask_of(f).defined()) return not_here;
                    const Tensor weights = softmax(f.operation("masked").inputs[0]) * mask_of(f);
                    return weights / sum(weights, -1, true);
                }}
            .in_class("a weight of 0 for hidden keys")
            .as_choice(),
    };
}

// The score of a hidden key.
std::vector<Mistake> of_fill() {
    return {
        Mistake{step::masked, "ignored", "scaled", "The mask is not applied: nothing is hidden.",
                [](const Frame& f, const Tensor&) { return input(f, 0); }}
            .seen("https://github.com/alex-matton/causal-transformer-decoder/issues/1"),
        // First of its class: its sentence is true of all of them.
        Mistake{step::masked, "zero", "scaled, but 0 where the mask is 0",
                "The hidden scores are 0, and exp(0) = 1 is a full vote.", filled_with(0)}
            .seen("https://github.com/georg-wolflein/good-features/pull/1")
            .in_class("a hidden score of 0"),
        Mistake{step::masked, "tiny", "scaled, but 1e−9 where the mask is 0",
                "The hidden score is 1e−9, which is almost 0; −1e9 is a low score.", filled_with(1e-9)}
            .seen("https://github.com/awslabs/gluonts/pull/1401")
            .in_class("a hidden score of 0"),
        Mistake{step::masked, "multiplied", "scaled ∘ mask",
                "The scores are multiplied by the mask: a hidden score becomes 0, and exp(0) = 1 is a full "
                "vote.",
                [](const Frame& f, const Tensor&) { return input(f, 0) * input(f, 1); }}
            .seen("https://github.com/georg-wolflein/good-features/pull/1")
            .in_class("a hidden score of 0"),
        Mistake{step::masked, "minus-one", "scaled, but −1 where the mask is 0",
                "A hidden score of −1 is not low enough: hidden keys keep some weight.", filled_with(-1)}
            .in_class("a hidden score that is not low enough"),
        Mistake{step::masked, "minus-two", "scaled, but −2 where the mask is 0",
                "A hidden score of −2 is not low enough: hidden keys keep some weight.", filled_with(-2)}
            .in_class("a hidden score that is not low enough"),
        Mistake{step::masked, "minus-five", "scaled, but −5 where the mask is 0",
                "A hidden score of −5 is not low enough: hidden keys keep some weight.", filled_with(-5)}
            .in_class("a hidden score that is not low enough"),
        Mistake{step::masked, "sign", "scaled, but 9e15 where the mask is 0",
                "The sign of the hidden score is wrong: the hidden keys get all the weight.",
                [](const Frame& f, const Tensor&) { return masked_fill(input(f, 0), input(f, 1), 9e15); }}
            .seen("https://github.com/lucidrains/memory-compressed-attention/issues/2"),
        Mistake{step::masked, "added", "scaled + mask",
                "The mask is added as 1 and 0: visible keys are only preferred, and no key is hidden.",
                [](const Frame& f, const Tensor&) { return input(f, 0) + input(f, 1); }}
            .seen("https://github.com/jerryji1993/DNABERT/issues/102"),
        Mistake{
            step::masked, "infinity-multiplied", "scaled + (1 − mask) · (−∞)",
            "The mask is multiplied by −∞, and 0 · ∞ is NaN: no visible key has a score. In half precision "
            "−1e10 is −∞ too.",
            [](const Frame& f, const Tensor&) { return input(f, 0) + (1 - input(f, 1)) * -infinity; }}
            .seen("https://github.com/google/flax/issues/982"),
        {step::masked, "hidden-added", "scaled + (1 − mask)",
         "1 is added to the hidden scores: the hidden keys are preferred.",
         [](const Frame& f, const Tensor&) { return input(f, 0) + (1 - input(f, 1)); }},
        Mistake{step::masked, "another-fill", "scaled, but −1e9 where the mask is 0",
                "A different hidden score, low enough for every purpose.", filled_with(-1e9)}
            .in_class("another low hidden score")
            .as_choice(),
        Mistake{step::masked, "half-precision-fill", "scaled, but −1e4 where the mask is 0",
                "A different hidden score, low enough for moderate scores; it fits half precision.",
                filled_with(-1e4)}
            .in_class("another low hidden score")
            .as_choice(),
        Mistake{step::masked, "infinity", "scaled, but −∞ where the mask is 0",
                "A hidden score of −∞: a query without a visible key gets NaN.", filled_with(-infinity)}
            .seen("https://github.com/pytorch/pytorch/issues/41508")
            .in_class("a weight of 0 for hidden keys")
            .as_choice(),
        Mistake{step::masked, "added-low", "scaled + (mask − 1) · 1e4",
                "A large negative number is added to the hidden scores: a query without a visible key "
                "attends as if nothing were hidden.",
                [](const Frame& f, const Tensor&) { return input(f, 0) + (input(f, 1) - 1) * 1e4; }}
            .as_choice(),
        Mistake{step::attention, "zeros-without-keys", "softmax(masked), 0 for a query without keys",
                "A query without a visible key gets no weights at all.",
                [](const Frame& f, const Tensor& made) {
                    if (!mask_of(f).defined()) return not_here;
                    return masked_fill(made, 1 - without_keys(f), 0);
                }}
            .seen("https://github.com/tracel-ai/burn/pull/4697")
            .as_choice(),
        Mistake{step::attention, "uniform-without-keys", "softmax(masked), 1/n_k for a query without keys",
                "A query without a visible key attends to all keys equally.",
                [](const Frame& f, const Tensor& made) {
                    if (!mask_of(f).defined()) return not_here;
                    return masked_fill(made, 1 - without_keys(f), 1 / size(made, -1));
                }}
            .seen("https://github.com/NVIDIA/apex/issues/1390")
            .in_class("another low hidden score")
            .as_choice(),
    };
}

// Another mask.
std::vector<Mistake> of_visible() {
    return {
        Mistake{step::masked, "inverted", "scaled, but fill where the mask is 1",
                "The mask is inverted: what should be visible is hidden.",
                hidden_by([](const Tensor& mask, const Tensor&) { return 1 - mask; })}
            .seen("https://github.com/lucidrains/x-transformers/issues/160"),
        Mistake{step::masked, "transposed", "scaled, but fill where maskᵀ is 0",
                "The mask is transposed: padding hides queries instead of keys, and a causal mask shows the "
                "future.",
                hidden_by([](const Tensor& mask, const Tensor&) {
                    return is_square(mask) ? transpose(mask) : not_here;
                })}
            .seen("https://github.com/hyunwoongko/transformer/pull/40"),
        Mistake{step::masked, "both-ways", "scaled, but fill where mask ∘ maskᵀ is 0",
                "The rows of hidden positions are hidden too: their queries see no key.",
                hidden_by([](const Tensor& mask, const Tensor&) {
                    return is_square(mask) ? mask * transpose(mask) : not_here;
                })}
            .seen("https://github.com/pytorch/pytorch/issues/41508"),
        {step::masked, "first-head", "scaled, but fill where the mask is 0, in the first head",
         "The mask hides keys only from the first head; it applies to every head.",
         [](const Frame& f, const Tensor& made) { return first_of_one(made, input(f, 0), -3); }},
        {step::masked, "first-sequence", "scaled, but fill where the mask is 0, in the first sequence",
         "The mask is applied only to the first sequence of the batch.",
         [](const Frame& f, const Tensor& made) { return first_of_one(made, input(f, 0), -4); }},
        {step::masked, "one-mask", "scaled, but fill where the first sequence's mask is 0",
         "The first sequence's mask is used for all, although their lengths differ.",
         hidden_by([](const Tensor& mask, const Tensor&) {
             return mask.rank() > 2 ? first_for_all(mask, -mask.rank()) : not_here;
         })},
        Mistake{step::masked, "batch-as-heads",
                "scaled, but fill where the mask is 0, its batch axis on the heads",
                "The mask of sequence b is applied to head b of all sequences: the mask lacks a head axis.",
                hidden_by([](const Tensor& mask, const Tensor& scores) {
                    if (mask.rank() < 4 || mask.size(-3) != 1 || mask.size(0) != scores.size(-3))
                        return not_here;
                    return swap_axes(mask, 0, -3);
                })}
            .in_class("a mask for each head")
            .seen("https://github.com/ArrowLuo/CLIP4Clip/issues/22"),
        Mistake{step::masked, "tiled",
                "scaled, but fill where the mask of sequence (b h + i) mod n is 0, i the head",
                "The masks are tiled over the heads, but the scores have the heads of a sequence side by "
                "side: heads get other sequences' masks.",
                hidden_by([](const Tensor& mask, const Tensor& scores) { return tiled(mask, scores); })}
            .in_class("a mask for each head")
            .seen("https://github.com/lsdefine/attention-is-all-you-need-keras/issues/36"),
        Mistake{step::masked, "interleaved",
                "scaled, but fill where the mask of sequence ⌊(i n + b) / h⌋ is 0, i the head",
                "Each mask is repeated for all heads in a row, but the scores have the sequences of a head "
                "side by side: heads get other sequences' masks.",
                hidden_by([](const Tensor& mask, const Tensor& scores) { return interleaved(mask, scores); })}
            .in_class("a mask for each head"),
        {step::masked, "first-row", "scaled, but fill where the mask's first row is 0",
         "Every query gets the first one's mask.",
         hidden_by([](const Tensor& mask, const Tensor&) { return first_for_all(mask, -2); })},
        Mistake{
            step::masked, "not-itself", "scaled, but fill where the mask is 0, and at i = j",
            "A position does not see itself: under a causal mask the first one sees nothing.",
            hidden_by([](const Tensor& mask, const Tensor&) { return mask * (1 - band_like(mask, 0, 0)); })}
            .in_class("a position that does not see itself"),
        Mistake{step::masked, "not-itself-later", "scaled, but fill where the mask is 0, and at i = j > 0",
                "No position but the first sees itself.", hidden_by([](const Tensor& mask, const Tensor&) {
                    return first_of_one(mask, mask * (1 - band_like(mask, 0, 0)), -2);
                })}
            .in_class("a position that does not see itself"),
        Mistake{step::masked, "one-more", "scaled, but fill where the mask is 0 at j − 1 and j",
                "One key too many is visible: under a causal mask the next position, which is the answer.",
                hidden_by([](const Tensor& mask, const Tensor&) { return widened(mask); })}
            .seen("https://github.com/RVC-Boss/GPT-SoVITS/issues/965"),
        {step::masked, "one-less", "scaled, but fill where the mask is 0 at j or j + 1",
         "One key too few is visible: the last one is hidden.",
         hidden_by([](const Tensor& mask, const Tensor&) {
             return is_band(mask, everything, 0) ? not_here : narrowed(mask);
         })},
        Mistake{step::masked, "from-the-end", "scaled, but fill where j − n_k > i − n_q",
                "The mask is aligned with the last query and the last key instead of the first ones.",
                hidden_by([](const Tensor& mask, const Tensor&) {
                    const index_t later = mask.size(-1) - mask.size(-2);
                    if (later == 0 || !is_band(mask, everything, 0)) return not_here;
                    return band_like(mask, everything, later);
                })}
            .seen("https://github.com/pytorch/pytorch/issues/103082"),
        Mistake{step::attention, "causal", "softmax(scores, but fill where j > i)",
                "Later keys are hidden, although all of the other sequence is known.",
                [](const Frame& f, const Tensor&) {
                    const Tensor scores = input(f, 0);
                    return softmax(masked_fill(scores, band_like(scores, everything, 0), default_mask_fill));
                }}
            .in_class("a causal mask too many"),
        Mistake{step::masked, "causal", "scaled, but fill where j > i",
                "Later keys are hidden instead of those that the mask hides.",
                [](const Frame& f, const Tensor&) {
                    const Tensor scaled = input(f, 0), mask = input(f, 1),
                                 causal = band_like(scaled, everything, 0);
                    const bool is_causal = static_cast<bool>(all_close(mask * causal, mask + 0 * causal));
                    return is_causal ? not_here : masked_fill(scaled, causal, default_mask_fill);
                }}
            .in_class("a causal mask too many"),
    };
}

}  // namespace

// The mask of attention, and the weights of queries without keys.
std::vector<Mistake> scaled_dot_product_mask() { return joined({of_order(), of_fill(), of_visible()}); }

}  // namespace glassbox::catalogue
