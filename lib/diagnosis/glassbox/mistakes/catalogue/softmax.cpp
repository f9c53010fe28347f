#include <algorithm>
#include <numbers>

#include <glassbox/blocks/blocks.h>
#include <glassbox/decoding/decoding.h>
#include <glassbox/mistakes/catalogue/lines.h>
#include <glassbox/models/predictor.h>
#include <glassbox/models/transformer.h>
#include <glassbox/ops/testing.h>

namespace glassbox::catalogue {

using namespace wrong;

namespace {

Tensor without_largest(const Tensor& x) { return x - max(x, -1, true); }

// exp(x − m) / Σ exp(x − m), the largest number and the sum each over an axis of its own.
WrongValue over_axes(int of_largest, int of_sum) {
    return [=](const Frame& f, const Tensor&) {
        const Tensor x = input(f, 0);
        if (!has_several(x, of_largest) || !has_several(x, of_sum)) return not_here;
        const Tensor powers = exp(x - max(x, of_largest, true));
        return powers / sum(powers, of_sum, true);
    };
}
Tensor over_first_axis(const Tensor& x) { return swap_axes(glassbox::softmax(swap_axes(x, 0, -1)), 0, -1); }

// exp(x − m) / l of rows that are read in blocks, l ← l + Σ exp(block − m) with m the largest so far: what is
// in l already should be multiplied by exp(m before − m).
Tensor by_blocks(const Tensor& x, index_t block) {
    std::vector<real> p = x.values();
    const index_t C = x.size(-1);
    for (auto row = p.begin(); row != p.end(); row += C) {
        double m = -INFINITY, l = 0;
        for (index_t i = 0; i < C; i += block) {
            const auto begin = row + i, end = row + std::min(i + block, C);
            m = std::max(m, static_cast<double>(*std::max_element(begin, end)));
            for (auto at = begin; at != end; ++at) l += std::exp(static_cast<double>(*at) - m);
        }
        std::transform(row, row + C, row, [&](real each) {
            return static_cast<real>(std::exp(static_cast<double>(each) - m) / l);
        });
    }
    return Tensor(x.shape(), p);
}
bool is_by_blocks(const Frame& f, const Tensor& made, const Tensor& given) {
    if (given.shape() != made.shape()) return false;
    for (index_t block = 1; block < made.size(-1); ++block)
        if (all_close(given, by_blocks(input(f, 0), block))) return true;
    return false;
}

}  // namespace

// The probabilities of a model's classes or of the next word. (Of attention's weights:
// scaled_dot_product_weights.cpp.)
std::vector<Mistake> softmax() {
    const WrongAt any{"softmax",
                      {&steps::softmax::softmax, &steps::predictor::softmax, &steps::transformer::softmax,
                       &steps::decoding::next}};
    return {
        {any, "wrong-axis", "softmax(xᵀ)ᵀ", "The softmax runs down the columns: they sum to 1, not the rows.",
         [](const Frame& f, const Tensor&) {
             const Tensor x = input(f, 0);
             return x.rank() > 1 ? transpose(glassbox::softmax(transpose(x))) : not_here;
         }},
        {any, "left-out", "x", "The softmax is missing: these are scores, not probabilities.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {any, "everything", "softmax of all numbers together",
         "All numbers together sum to 1; each row should.",
         [](const Frame& f, const Tensor&) {
             const Tensor x = input(f, 0);
             return reshape(glassbox::softmax(reshape(x, {x.numel()})), x.shape());
         }},
        {any, "sigmoid", "1 / (1 + exp(−x))",
         "Each probability is computed on its own (a sigmoid): those of a row do not sum to 1.",
         [](const Frame& f, const Tensor&) { return sigmoid(input(f, 0)); }},
        {any, "log", "ln softmax(x)", "These are logarithms of the probabilities.",
         [](const Frame& f, const Tensor&) { return log_softmax(input(f, 0)); }},
        {any, "twice", "softmax(softmax(x))",
         "The softmax is applied twice: the second makes everything nearly equal.",
         [](const Frame&, const Tensor& made) { return glassbox::softmax(made); }},
        {any, "over-batch", "softmax(x), over the batch",
         "The softmax runs over the entries of the batch, which are independent.",
         [](const Frame& f, const Tensor&) {
             const Tensor x = input(f, 0);
             return x.rank() > 2 && x.size(0) > 1 ? over_first_axis(x) : not_here;
         }},
        {any, "not-normalised", "exp(x − m)",
         "The division by the row's sum is missing: the probabilities do not sum to 1.",
         [](const Frame& f, const Tensor&) { return exp(without_largest(input(f, 0))); }},
        {any, "largest-in-numerator", "exp(x − m) / Σ exp(x)",
         "The row's largest number is subtracted above the line alone; the sum needs it, too.",
         [](const Frame& f, const Tensor&) {
             return exp(without_largest(input(f, 0))) / sum(exp(input(f, 0)), -1, true);
         }},
        {any, "largest-in-denominator", "exp(x) / Σ exp(x − m)",
         "The row's largest number is subtracted below the line alone; the power above needs it, too.",
         [](const Frame& f, const Tensor&) {
             return exp(input(f, 0)) / sum(exp(without_largest(input(f, 0))), -1, true);
         }},
        {any, "no-exp", "x / Σ x",
         "The scores are divided by their sum without exp, so some may be negative.",
         [](const Frame& f, const Tensor&) { return input(f, 0) / sum(input(f, 0), -1, true); }},
        {any, "plus-one", "exp(x) / (1 + Σ exp(x))",
         "There is an extra 1 in the denominator: a row sums to less than 1.",
         [](const Frame& f, const Tensor&) {
             const Tensor e = exp(input(f, 0));
             return e / (sum(e, -1, true) + 1);
         }},
        {any, "summed-over-rows", "exp(x − m) / Σ exp(x − m), down the columns",
         "The denominator sums down the columns: they sum to 1, not the rows.", over_axes(-1, -2)},
        {any, "summed-over-batch", "exp(x − m) / Σ exp(x − m), over the batch",
         "The denominator sums over the entries of the batch, which are independent.", over_axes(-1, -3)},
        {any, "largest-of-column", "exp(x − m) / Σ exp(x − m), m the largest of each column",
         "What is subtracted differs along the row, which changes its probabilities. Subtract one number per "
         "row.",
         over_axes(-2, -1)},
        {any, "largest-of-batch", "exp(x − m) / Σ exp(x − m), m the largest over the batch",
         "What is subtracted differs along the row, which changes its probabilities. Subtract one number per "
         "row.",
         over_axes(-3, -1)},
        {any, "mean", "exp(x) / mean exp(x)", "The mean is taken instead of the sum: a row sums to C.",
         [](const Frame& f, const Tensor& made) { return made * size(input(f, 0), -1); }},
        {any, "base-2", "2ˣ / Σ 2ˣ", "Powers of 2 are taken instead of e.",
         [](const Frame& f, const Tensor&) { return glassbox::softmax(input(f, 0) * std::numbers::ln2); }},
        {any, "scaled", "softmax(x / √C)",
         "The scores are divided by the root of their number, which belongs to attention.",
         [](const Frame& f, const Tensor&) {
             return glassbox::softmax(input(f, 0) / std::sqrt(static_cast<double>(size(input(f, 0), -1))));
         }},
        Mistake{
            any, "not-rescaled", "exp(x − m) / Σ exp(x_i − m_i), m_i the largest so far",
            "The running sum is not multiplied by exp(old maximum − new maximum) where the maximum rises.",
            [](const Frame& f, const Tensor&) { return by_blocks(input(f, 0), 1); }}
            .known_by(is_by_blocks),
        {any, "negated", "softmax(−x)", "The sign is wrong: the lowest score is the most probable.",
         [](const Frame& f, const Tensor&) { return glassbox::softmax(-input(f, 0)); }},
    };
}

}  // namespace glassbox::catalogue
