#include <cmath>
#include <numbers>

#include <glassbox/blocks/blocks.h>
#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::log_softmax;

namespace {

Tensor centred(const Tensor& x) { return x - max(x, -1, true); }

// x − m − ln Σ exp(x − m), the largest number and the sum each over an axis of its own.
WrongValue over_axes(int of_largest, int of_sum) {
    return [=](const Frame& f, const Tensor&) {
        const Tensor x = input(f, 0);
        if (!has_several(x, of_largest) || !has_several(x, of_sum)) return not_here;
        const Tensor less = x - max(x, of_largest, true);
        return less - log(sum(exp(less), of_sum, true));
    };
}

}  // namespace

std::vector<Mistake> log_softmax() {
    return {
        {step::output, "not-log", "softmax(x)", "These are the probabilities, not their logarithms.",
         [](const Frame& f, const Tensor&) { return glassbox::softmax(input(f, 0)); }},
        {step::output, "softmax-twice", "log_softmax(softmax(x))",
         "Probabilities are taken for scores: the softmax is applied twice.",
         [](const Frame& f, const Tensor&) { return glassbox::log_softmax(glassbox::softmax(input(f, 0))); }},
        {step::output, "wrong-axis", "log_softmax(xᵀ)ᵀ", "It runs down the columns, not along the rows.",
         [](const Frame& f, const Tensor&) {
             const Tensor x = input(f, 0);
             return x.rank() > 1 ? transpose(glassbox::log_softmax(transpose(x))) : not_here;
         }},
        {step::output, "over-batch", "log_softmax(x), over the batch",
         "It runs over the entries of the batch, which are independent.",
         [](const Frame& f, const Tensor&) {
             const Tensor x = input(f, 0);
             return x.rank() > 2 && x.size(0) > 1
                        ? swap_axes(glassbox::log_softmax(swap_axes(x, 0, -1)), 0, -1)
                        : not_here;
         }},
        {step::output, "everything", "log_softmax of all numbers together",
         "All numbers share one sum; each row has its own.",
         [](const Frame& f, const Tensor&) {
             const Tensor x = input(f, 0);
             return reshape(glassbox::log_softmax(reshape(x, {x.numel()})), x.shape());
         }},
        {step::output, "negated", "ln Σ exp(x) − x", "The sign is wrong: this is a loss, above 0.",
         [](const Frame&, const Tensor& made) { return -made; }},
        {step::output, "base-2", "log₂ softmax(x)", "The logarithm has base 2 instead of e.",
         [](const Frame&, const Tensor& made) { return made / std::numbers::ln2; }},
        {step::output, "base-10", "log₁₀ softmax(x)", "The logarithm has base 10 instead of e.",
         [](const Frame&, const Tensor& made) { return made / std::numbers::ln10; }},
        {step::output, "only-largest", "x − max(x)",
         "Only the largest number of the row is subtracted, not ln Σ exp(x).",
         [](const Frame& f, const Tensor&) { return input(f, 0) - max(input(f, 0), -1, true); }},
        {step::output, "largest-in-sum", "x − ln Σ exp(x − m)",
         "The row's largest number is subtracted inside the sum alone, and not added again.",
         [](const Frame& f, const Tensor& made) { return made + max(input(f, 0), -1, true); }},
        {step::output, "with-epsilon", "ln(softmax(x) + 1e-6)",
         "A small number is added before the logarithm: unlikely classes come out too likely.",
         [](const Frame&, const Tensor& made) { return log(exp(made) + 1e-6); }},
        {step::output, "largest-twice", "x − m − ln Σ exp(x)",
         "The row's largest number is subtracted outside alone: the sum is of exp(x), so it counts twice.",
         [](const Frame& f, const Tensor& made) { return made - max(input(f, 0), -1, true); }},
        {step::output, "sum-without-log", "x − Σ exp(x)", "The sum is subtracted without its logarithm.",
         [](const Frame& f, const Tensor&) { return input(f, 0) - sum(exp(input(f, 0)), -1, true); }},
        {step::output, "sum-of-scores", "x − ln Σ |x|", "The exp inside the sum is missing.",
         [](const Frame& f, const Tensor&) { return input(f, 0) - log(sum(abs(input(f, 0)), -1, true)); }},
        {step::output, "mean", "x − ln mean exp(x)", "The mean is taken instead of the sum.",
         [](const Frame& f, const Tensor& made) {
             return made + std::log(static_cast<double>(size(input(f, 0), -1)));
         }},
        {step::output, "sum-without-log-centred", "x − m − Σ exp(x − m)",
         "The sum is subtracted without its logarithm, the largest number as it should be.",
         [](const Frame& f, const Tensor&) {
             const Tensor less = centred(input(f, 0));
             return less - sum(exp(less), -1, true);
         }},
        {step::output, "added-centred", "x − m + ln Σ exp(x − m)",
         "The logarithm of the sum is added, not subtracted.",
         [](const Frame& f, const Tensor& made) { return centred(input(f, 0)) * 2 - made; }},
        {step::output, "summed-over-rows", "x − m − ln Σ exp(x − m), down the columns",
         "The sum runs down the columns: each row needs its own.", over_axes(-1, -2)},
        {step::output, "summed-over-batch", "x − m − ln Σ exp(x − m), over the batch",
         "The sum runs over the entries of the batch, which are independent.", over_axes(-1, -3)},
        {step::output, "largest-of-column", "x − m − ln Σ exp(x − m), m the largest of each column",
         "What is subtracted differs along the row, which changes it. Subtract one number per row.",
         over_axes(-2, -1)},
        {step::output, "largest-of-batch", "x − m − ln Σ exp(x − m), m the largest over the batch",
         "What is subtracted differs along the row, which changes it. Subtract one number per row.",
         over_axes(-3, -1)},
        {step::output, "sigmoid", "ln σ(x)",
         "Each logarithm is of a sigmoid: those of a row are independent.",
         [](const Frame& f, const Tensor&) { return log(sigmoid(input(f, 0))); }},
        {step::output, "added", "x + ln Σ exp(x)", "The logarithm of the sum is added, not subtracted.",
         [](const Frame& f, const Tensor& made) { return input(f, 0) * 2 - made; }},
        {step::output, "left-out", "x", "Nothing is done: these are the scores.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
    };
}

}  // namespace glassbox::catalogue
