#include <glassbox/mistakes/catalogue/lines.h>
#include <glassbox/mistakes/catalogue/places.h>
#include <glassbox/train/optimiser.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::clip;

namespace {

Tensor g(const Frame& f) { return f["gradient"]; }
// max_norm / (norm + ε), before it is limited to 1.
Tensor ratio(const Frame& f) {
    Tensor x = f.contains("factor") ? f.operation("factor").output : f.operation().output;
    while (f.trace().operation_of(x)->op != std::string_view("div")) x = input_of(f, x, 0);
    return x;
}
Tensor max_norm(const Frame& f) { return input_of(f, ratio(f), 0); }

// Of a training step that accumulates: the gradients of the micro-batches, (k, n).
Tensor batches(const Frame& f) {
    const std::size_t at = f.path().rfind("clip/");
    const Tensor rows = at == std::string::npos ? not_here : step_at(f, f.path().substr(0, at) + "gradients");
    return rows.defined() && rows.rank() == 2 ? rows : not_here;
}
// Each row clipped by its own norm.
Tensor clipped_rows(const Frame& f, const Tensor& rows) {
    return rows * glassbox::clip(max_norm(f) / sqrt(sum(rows * rows, -1, true)), 0, 1);
}
Tensor clipped_batches(const Frame& f) {
    const Tensor rows = batches(f);
    return rows.defined() ? clipped_rows(f, rows) : not_here;
}

Mistake of_norm(const char* name, const char* formula, const char* sentence,
                Tensor (*other)(const Tensor& g)) {
    return {step::norm, name, formula, sentence,
            [other](const Frame& f, const Tensor&) { return other(g(f)); }};
}

}  // namespace

// g ← min(1, max_norm / (‖g‖ + ε)) g
std::vector<Mistake> clip() {
    return {
        of_norm("no-root", "Σ g²", "This is the square of the length: the root is missing.",
                [](const Tensor& g) { return sum(g * g); })
            .seen("https://github.com/paiml/entrenar/issues/311"),
        of_norm("sum-of-sizes", "Σ |g|",
                "The magnitudes are summed; the norm is the root of the sum of squares.",
                [](const Tensor& g) { return sum(abs(g)); }),
        of_norm("mean", "√(mean g²)", "This is the root of the mean of the squares, not of their sum.",
                [](const Tensor& g) { return sqrt(mean(g * g)); }),
        of_norm("largest", "max |g|", "The largest number is taken as the norm.",
                [](const Tensor& g) { return max(reshape(contiguous(abs(g)), {-1}), 0); }),
        of_norm("one-parameter", "√(Σ g²), of the first row",
                "Only one part's norm is used; all numbers of the gradient count.",
                [](const Tensor& g) { return sqrt(sum(select(g * g, 0, 0))); }),
        of_norm("sum-of-norms", "Σ of the rows' lengths",
                "The parts' norms are summed; all squares belong in one sum under one root.",
                [](const Tensor& g) { return sum(sqrt(sum(g * g, -1))); }),
        of_norm("root-of-norms", "√(Σ of the rows' lengths)",
                "The parts' norms are added without their squares: the root of a sum of norms is not a norm.",
                [](const Tensor& g) { return sqrt(sum(sqrt(sum(g * g, -1)))); }),
        of_norm("sum-of-means", "√(Σ of the rows' mean g²)",
                "The mean of each part's squares is taken instead of their sum.",
                [](const Tensor& g) { return sqrt(sum(mean(g * g, -1))); }),
        of_norm("by-batch", "√(Σ g²) / the number of parts", "The length is divided by the number of parts.",
                [](const Tensor& g) { return sqrt(sum(g * g)) / size(g, 0); }),
        Mistake{step::factor, "always", "max_norm / (norm + ε)",
                "Short gradients are stretched to max_norm: the factor must not exceed 1.",
                [](const Frame& f, const Tensor&) { return ratio(f); }}
            .in_class("a factor without its limit"),
        Mistake{step::factor, "always-with-epsilon", "max_norm / (norm + 1e-6)",
                "Short gradients are stretched to max_norm: the factor must not exceed 1.",
                [](const Frame& f, const Tensor&) { return max_norm(f) / (f["norm"] + 1e-6); }}
            .in_class("a factor without its limit"),
        {step::factor, "short-ones", "max(1, max_norm / (norm + ε))",
         "The wrong ones change: long gradients stay, short ones are stretched.",
         [](const Frame& f, const Tensor&) { return relu(ratio(f) - 1) + 1; }},
        {step::factor, "upside-down", "min(1, norm / max_norm)",
         "Upside down: short gradients are shortened further, long ones stay.",
         [](const Frame& f, const Tensor&) { return glassbox::clip(f["norm"] / max_norm(f), 0, 1); }},
        {step::factor, "to-one", "min(1, 1 / norm)", "Long gradients get norm 1 instead of max_norm.",
         [](const Frame& f, const Tensor&) { return glassbox::clip(1 / f["norm"], 0, 1); }},
        {step::factor, "squared-norm", "min(1, max_norm² / norm²)", "The factor is squared.",
         [](const Frame&, const Tensor& made) { return made * made; }},
        {step::factor, "max-norm-squared", "min(1, max_norm² / norm)",
         "max_norm is squared, as if the norm had no root.",
         [](const Frame& f, const Tensor&) { return glassbox::clip(ratio(f) * max_norm(f), 0, 1); }},
        {step::factor, "multiplied", "min(1, max_norm · norm)", "Multiplied by the norm instead of divided.",
         [](const Frame& f, const Tensor&) { return glassbox::clip(f["norm"] * max_norm(f), 0, 1); }},
        {step::factor, "one-added", "max_norm / (norm + max_norm)",
         "max_norm is added to the denominator: even short gradients are shortened.",
         [](const Frame& f, const Tensor&) { return max_norm(f) / (f["norm"] + max_norm(f)); }},
        {step::factor, "zero", "1, or 0 where norm > max_norm",
         "A gradient that is too long is discarded instead of shortened.",
         [](const Frame& f, const Tensor&) { return 1 - (f["norm"] > max_norm(f)); }},
        Mistake{step::factor, "epsilon", "min(1, max_norm / (norm + 1e-6))",
                "The term added to the norm is 1e-6, as in torch.nn.utils.clip_grad_norm_, or 0, as in "
                "optax: the numbers do not show which.",
                [](const Frame& f, const Tensor&) {
                    return glassbox::clip(max_norm(f) / (f["norm"] + 1e-6), 0, 1);
                }}
            .in_class("far below the norm")
            .as_choice(),
        {step::clipped, "left-out", "g", "Nothing is clipped.",
         [](const Frame& f, const Tensor&) { return g(f); }},
        {step::clipped, "by-value", "each number cut at ±max_norm",
         "Every number is clipped on its own, which changes the direction; the gradient may still be too "
         "long.",
         [](const Frame& f, const Tensor&) {
             const double limit = static_cast<double>(max_norm(f).item());
             return glassbox::clip(g(f), -limit, limit);
         }},
        Mistake{step::clipped, "per-parameter", "each row by its own length",
                "Each part is clipped by its own norm, which changes the direction of the step.",
                [](const Frame& f, const Tensor&) {
                    const Tensor length = sqrt(sum(g(f) * g(f), -1, true));
                    return g(f) * glassbox::clip(max_norm(f) / length, 0, 1);
                }}
            .seen("https://github.com/carpedm20/MemN2N-tensorflow/issues/19"),
        {step::clipped, "each-batch", "the mean of the micro-batches' gradients, each clipped",
         "Each micro-batch's gradient is clipped before they are averaged; the mean is to be clipped, once.",
         [](const Frame& f, const Tensor&) {
             const Tensor all = clipped_batches(f);
             return all.defined() ? mean(all, 0) : not_here;
         }},
        {step::clipped, "each-batch-applied", "the sum of the micro-batches' gradients, each clipped",
         "The parameters are updated after every micro-batch, with its own clipped gradient.",
         [](const Frame& f, const Tensor&) {
             const Tensor all = clipped_batches(f);
             return all.defined() ? sum(all, 0) : not_here;
         }},
        Mistake{step::clipped, "as-it-grows", "clip(… clip(clip(g₀ / k) + g₁ / k) …)",
                "The sum so far is clipped after every micro-batch; it should be clipped once, before the "
                "update.",
                [](const Frame& f, const Tensor&) {
                    const Tensor rows = batches(f);
                    if (!rows.defined()) return not_here;
                    Tensor sum_so_far = Tensor::zeros({1, rows.size(1)});
                    for (index_t i = 0; i < rows.size(0); ++i)
                        sum_so_far = clipped_rows(f, sum_so_far + slice(rows, 0, i, i + 1) / size(rows, 0));
                    return select(sum_so_far, 0, 0);
                }}
            .seen("https://github.com/huggingface/transformers/issues/1563"),
        {step::clipped, "divided", "g / factor", "Divided by the factor: long gradients get longer.",
         [](const Frame& f, const Tensor&) { return g(f) / f["factor"]; }},
        {step::clipped, "sign-lost", "factor · |g|", "The signs are lost.",
         [](const Frame& f, const Tensor&) { return f["factor"] * abs(g(f)); }},
    };
}

}  // namespace glassbox::catalogue
