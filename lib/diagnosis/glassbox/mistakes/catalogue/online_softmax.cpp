#include <glassbox/layers/online_softmax.h>

#include <algorithm>
#include <limits>

#include <glassbox/mistakes/catalogue/places.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::online_softmax;

namespace {

constexpr double hidden = -std::numeric_limits<double>::infinity();

// One block's m or s (…, B), and the last one's.
Tensor at(const Tensor& all, index_t b) { return slice(all, -1, b, b + 1); }
Tensor last(const Tensor& all) { return at(all, all.size(-1) - 1); }
// The largest of all blocks, for each of them.
Tensor for_all(const Tensor& m) {
    return has_several(m, -1) ? broadcast_to(max(m, -1, true), m.shape()) : not_here;
}
Tensor larger(const Tensor& a, const Tensor& b) { return where(a > b, a, b); }
// The value where something has been seen, and 0 where m is −∞.
Tensor seen_only(const Tensor& m, const Tensor& made) { return where(m > hidden, made, 0.0); }

// The maxima and sums of the blocks in the scope beside this one.
Tensor of_blocks(const Frame& f, const char* name) { return f.trace()[outer_scope(f) + "block/" + name]; }

// The numbers block by block, (…, B, size), −∞ after the last one; of a step after the block's m.
Tensor blocks(const Frame& f) { return f.operation("m").inputs[0]; }

// −max(−x), again with −∞ after the last number.
Tensor smallest_of_blocks(const Frame& f, const Tensor& made) {
    const Tensor x = f.trace()[outer_scope(f) + "x"];
    const Shape in_blocks = input(f, 0).shape();
    const index_t missing = in_blocks[-1] * in_blocks[-2] - x.size(-1);
    Tensor turned = -x;
    if (missing > 0) turned = concat({turned, Tensor::full(x.shape().with(-1, missing), hidden)}, -1);
    return reshape(-max(reshape(turned, in_blocks), -1), made.shape());
}

// Each block's maximum with those of the `before` blocks before it.
Tensor with_those_before(const Tensor& m, index_t before) {
    std::vector<Tensor> all;
    for (index_t b = 0; b < m.size(-1); ++b)
        all.push_back(max(slice(m, -1, std::max<index_t>(0, b - before), b + 1), -1, true));
    return concat(all, -1);
}

struct RunningSum {
    Tensor m, s;
};
// The sum in another unit, 0 if nothing has been seen.
Tensor times_exp(const RunningSum& pair, const Tensor& exponent) {
    return seen_only(pair.m, pair.s * exp(exponent));
}

// The merged s: block by block, from the pair before and that of the block. It begins with the first block's
// or with the empty pair, (−∞, 0).
enum class Begin { with_block, with_nothing };
using Merge = Tensor (*)(const RunningSum& before, const RunningSum& block, const Tensor& m);
WrongValue merged_by(Merge merge, Begin begin = Begin::with_block) {
    return [=](const Frame& f, const Tensor& made) {
        const Tensor m_b = of_blocks(f, "m"), s_b = of_blocks(f, "s"), &m = f["m"];
        const Shape one = made.shape().with(-1, 1);
        std::vector<Tensor> all{
            begin == Begin::with_block
                ? at(s_b, 0)
                : merge({Tensor::full(one, hidden), Tensor::zeros(one)}, {at(m_b, 0), at(s_b, 0)}, at(m, 0))};
        for (index_t b = 1; b < made.size(-1); ++b)
            all.push_back(merge({at(m, b - 1), all.back()}, {at(m_b, b), at(s_b, b)}, at(m, b)));
        return made.size(-1) > 1 || begin == Begin::with_nothing ? concat(all, -1) : not_here;
    };
}

// The number of each block for all numbers of the row that are in it.
Tensor of_its_block(const Frame& f, const Tensor& all) {
    const Shape in_blocks = f.operation("block/m").inputs[0].shape();
    const Tensor repeated = broadcast_to(reshape(all, all.shape().with_appended(1)), in_blocks);
    const Shape row = f["x"].shape();
    return slice(reshape(contiguous(repeated), row.with(-1, in_blocks[-1] * in_blocks[-2])), -1, 0, row[-1]);
}

// exp(x − m) / s, 0 of a hidden number.
Tensor weights(const Frame& f, const Tensor& m, const Tensor& s) {
    return seen_only(f["x"], exp(f["x"] - m) / s);
}

// The last m and s are those by which the softmax was divided: exp(x − m) / s.
Tensor powers(const Frame& f) { return input(f, 0); }

std::vector<Mistake> of_maxima() {
    const WrongAt any{"maximum", {&step::block_m, &step::merged_m}}, block_m{"block_m", {&step::block_m}},
        merged_m{"merged_m", {&step::merged_m}};
    return {
        {any, "zero", "max(0, m)", "The maximum starts at 0, which exceeds any negative number.",
         [](const Frame&, const Tensor& made) { return relu(made); }},
        {any, "not-low-enough", "max(−10⁹, m)",
         "The maximum starts at −10⁹: where all numbers are hidden, it stays there.",
         [](const Frame&, const Tensor& made) { return glassbox::clip(made, -1e9, -hidden); }},
        {any, "whole-row", "the largest m of all blocks",
         "This is the maximum of the whole row, of which not all blocks have been read.",
         [](const Frame&, const Tensor& made) { return for_all(made); }},
        {block_m, "so-far", "the largest m of the blocks so far",
         "These are running maxima; each block has its own.",
         [](const Frame&, const Tensor& made) { return with_those_before(made, made.size(-1)); }},
        {block_m, "smallest", "min_j x_j, of each block", "These are the smallest numbers.",
         smallest_of_blocks},
        {merged_m, "of-block", "the block's m", "The last block's maximum is kept, not the largest so far.",
         [](const Frame& f, const Tensor&) { return of_blocks(f, "m"); }},
        {merged_m, "first", "the first block's m",
         "The first block's maximum is kept, although larger ones follow.",
         [](const Frame&, const Tensor& made) { return first_for_all(made, -1); }},
        {merged_m, "two-only", "the larger m of the block and the one before",
         "Only the block and its predecessor are compared: earlier ones are forgotten.",
         [](const Frame& f, const Tensor&) { return with_those_before(of_blocks(f, "m"), 1); }},
    };
}

std::vector<Mistake> of_block_sums() {
    const WrongAt block_s{"block_s", {&step::block_s}};
    return {
        {block_s, "not-subtracted", "Σ_j exp(x_j), of each block",
         "The block's maximum is not subtracted, although merging rescales by it.",
         [](const Frame& f, const Tensor& made) { return made * exp(f["m"]); }},
        {block_s, "subtracted-behind", "Σ_j exp(x_j) − m, of each block",
         "The maximum is subtracted from the sum instead of the exponents.",
         [](const Frame& f, const Tensor& made) { return made * exp(f["m"]) - f["m"]; }},
        {block_s, "whole-row", "Σ_j exp(x_j − the largest m), of each block",
         "The maximum of the whole row is subtracted instead of the block's own.",
         [](const Frame& f, const Tensor& made) { return made * exp(f["m"] - max(f["m"], -1, true)); }},
        {block_s, "largest-left-out", "Σ_j exp(x_j − m) − 1, of each block",
         "The largest number is left out of the sum, to which it contributes 1.",
         [](const Frame& f, const Tensor& made) { return seen_only(f["m"], made - 1.0); }},
        {block_s, "hidden", "Σ_j exp(−∞ + ∞), of a hidden block",
         "A block of only hidden numbers gives NaN: −∞ is subtracted from −∞.",
         [](const Frame& f, const Tensor&) {
             const Tensor& m = f["m"];
             return sum(exp(blocks(f) - reshape(m, m.shape().with_appended(1))), -1);
         }},
        Mistake{block_s, "overflow", "Σ_j exp(x_j) / exp(m), of each block",
                "The sum is divided by exp(m) after its exponentials have overflowed.",
                [](const Frame& f, const Tensor&) {
                    return seen_only(f["m"], sum(exp(blocks(f)), -1) / exp(f["m"]));
                }}
            .in_class("an overflow, with hidden blocks")
            .by_overflow(),
        Mistake{block_s, "overflow-nan", "Σ_j exp(x_j) / exp(m), of each block; 0/0 of a hidden one",
                "The sum is divided by exp(m) after its exponentials have overflowed.",
                [](const Frame& f, const Tensor&) { return sum(exp(blocks(f)), -1) / exp(f["m"]); }}
            .in_class("an overflow, with hidden blocks")
            .by_overflow(),
    };
}

Tensor divided_behind(const RunningSum& a, const RunningSum& b, const Tensor& m) {
    return (a.s * exp(a.m) + b.s * exp(b.m)) / exp(m);
}
Tensor exchanged(const RunningSum& a, const RunningSum& b, const Tensor& m) {
    return times_exp({b.m, a.s}, b.m - m) + times_exp({a.m, b.s}, a.m - m);
}
Tensor with_nan(const RunningSum& a, const RunningSum& b, const Tensor& m) {
    return a.s * exp(a.m - m) + b.s * exp(b.m - m);
}

std::vector<Mistake> of_merged_sums() {
    const WrongAt merged_s{"merged_s", {&step::merged_s}},
        from_nothing{"merged_s_from_nothing", {&step::merged_s}};
    return {
        {merged_s, "not-rescaled", "s before + the block's s",
         "The sums are added without rescaling, though different maxima were subtracted.",
         merged_by([](const RunningSum& a, const RunningSum& b, const Tensor&) { return a.s + b.s; })},
        {merged_s, "old-not-rescaled", "s before + the block's s · exp(the block's m − m)",
         "The sum so far is not rescaled to the new maximum.",
         merged_by([](const RunningSum& a, const RunningSum& b, const Tensor& m) {
             return a.s + times_exp(b, b.m - m);
         })},
        {merged_s, "new-not-rescaled", "s before · exp(m before − m) + the block's s",
         "The block's sum is not rescaled to the largest number so far.",
         merged_by([](const RunningSum& a, const RunningSum& b, const Tensor& m) {
             return times_exp(a, a.m - m) + b.s;
         })},
        Mistake{merged_s, "sign", "s before · exp(m − m before) + the block's s · exp(m − the block's m)",
                "The sign of the exponents is wrong: sums grow instead of shrinking.",
                merged_by([](const RunningSum& a, const RunningSum& b, const Tensor& m) {
                    return times_exp(a, m - a.m) + times_exp(b, m - b.m);
                })}
            .seen("https://github.com/deepseek-ai/FlashMLA/pull/177"),
        {merged_s, "exchanged", "s before · exp(the block's m − m) + the block's s · exp(m before − m)",
         "Each sum is rescaled with the other's maximum.", merged_by(exchanged)},
        {from_nothing, "exchanged",
         "s before · exp(the block's m − m) + the block's s · exp(m before − m), beginning with s = 0",
         "Each sum is rescaled with the other's maximum.", merged_by(exchanged, Begin::with_nothing)},
        {merged_s, "maximum", "max(s before · exp(m before − m), the block's s · exp(the block's m − m))",
         "The larger sum is kept, as if a sum were a maximum.",
         merged_by([](const RunningSum& a, const RunningSum& b, const Tensor& m) {
             return larger(times_exp(a, a.m - m), times_exp(b, b.m - m));
         })},
        {merged_s, "maximum-as-it-is", "max(s before, the block's s)",
         "The larger sum is kept, and neither is rescaled.",
         merged_by([](const RunningSum& a, const RunningSum& b, const Tensor&) { return larger(a.s, b.s); })},
        {merged_s, "replaced", "the block's s if its m is larger, else s before + the block's s",
         "A new maximum starts a new sum: what was summed before is dropped.",
         merged_by([](const RunningSum& a, const RunningSum& b, const Tensor&) {
             return where(b.m > a.m, b.s, a.s + b.s);
         })},
        {merged_s, "of-block", "the block's s", "Only the last block's sum is kept.",
         [](const Frame& f, const Tensor&) { return of_blocks(f, "s"); }},
        {merged_s, "hidden", "s · exp(−∞ + ∞) in the second hidden block",
         "While only hidden numbers have been read, −∞ is subtracted from −∞, and s stays NaN.",
         merged_by(with_nan)},
        {from_nothing, "hidden", "s · exp(−∞ + ∞) in the first hidden block",
         "While only hidden numbers have been read, −∞ is subtracted from −∞, and s stays NaN.",
         merged_by(with_nan, Begin::with_nothing)},
        Mistake{
            merged_s, "overflow", "(s before · exp(m before) + the block's s · exp(the block's m)) / exp(m)",
            "The sum is divided by exp(m) after its exponentials have overflowed.", merged_by(divided_behind)}
            .by_overflow(),
        Mistake{
            from_nothing, "overflow",
            "(s before · exp(m before) + the block's s · exp(the block's m)) / exp(m), beginning with s = 0",
            "The sum is divided by exp(m) after its exponentials have overflowed.",
            merged_by([](const RunningSum& a, const RunningSum& b,
                         const Tensor& m) { return seen_only(m, divided_behind(a, b, m)); },
                      Begin::with_nothing)}
            .by_overflow(),
    };
}

std::vector<Mistake> of_weights() {
    const WrongAt result{"online_softmax", {&step::softmax}};
    const auto line = [&](const char* name, const char* formula, const char* sentence,
                          Tensor (*value)(const Frame&)) {
        return Mistake{result, name, formula, sentence,
                       [value](const Frame& f, const Tensor&) { return value(f); }};
    };
    return {
        line("not-normalised", "exp(x − m)", "The division by the sum is missing.", powers),
        line("log", "x − m − ln s", "These are logarithms of the weights.",
             [](const Frame& f) { return input_of(f, powers(f), 0) - log(input(f, 1)); }),
        line("m-not-subtracted", "exp(x) / s",
             "The maximum is subtracted in the sum but not in the numerator.",
             [](const Frame& f) { return exp(f["x"]) / input(f, 1); })
            .by_overflow(),
        line("overflow", "exp(x) / (s · exp(m))", "No maximum is subtracted: the exponentials overflow.",
             [](const Frame& f) { return exp(f["x"]) / (input(f, 1) * exp(last(f["merged/m"]))); })
            .by_overflow(),
        line("block", "exp(x − the block's m) / the block's s",
             "Each block has its own weights, which sum to 1 within the block.",
             [](const Frame& f) {
                 return weights(f, of_its_block(f, f["block/m"]), of_its_block(f, f["block/s"]));
             }),
        line("maximum-of-block", "exp(x − the block's m) / s",
             "The maximum is the block's, but the sum is the whole row's.",
             [](const Frame& f) { return weights(f, of_its_block(f, f["block/m"]), last(f["merged/s"])); }),
        line("sum-of-block", "exp(x − m) / the block's s",
             "The sum is the block's, but the maximum is the whole row's.",
             [](const Frame& f) { return weights(f, last(f["merged/m"]), of_its_block(f, f["block/s"])); }),
        line("too-early", "exp(x − m so far) / s so far",
             "The weights are computed as soon as their block is read, but later blocks change m and s.",
             [](const Frame& f) {
                 return weights(f, of_its_block(f, f["merged/m"]), of_its_block(f, f["merged/s"]));
             }),
    };
}

}  // namespace

// m ← max(m, m_b),  s ← s exp(m_before − m) + s_b exp(m_b − m),  softmax(x) = exp(x − m) / s
std::vector<Mistake> online_softmax() {
    return joined({of_maxima(), of_block_sums(), of_merged_sums(), of_weights()});
}

}  // namespace glassbox::catalogue
