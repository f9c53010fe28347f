#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;

namespace {

constexpr double keras_epsilon = 1e-3;

const WrongAt& step() {
    static const WrongAt at = WrongAt::op("layer_norm");
    return at;
}

double epsilon(const Frame& f) { return f.operation()["epsilon"]; }
Tensor gamma(const Frame& f) { return input(f, 1); }
Tensor beta(const Frame& f) { return input(f, 2); }

Tensor centred(const Tensor& x, int axis = -1) { return x - mean(x, axis, true); }
// (x − mean) / √(var + ε) over an axis, without γ and β.
Tensor standard(const Tensor& x, double eps, int axis = -1) {
    return centred(x, axis) / sqrt(var(x, axis, true) + eps);
}
Tensor standard(const Frame& f) { return standard(input(f, 0), epsilon(f)); }

// x̂ ∘ γ + β with its own x̂: for mistakes in mean and variance.
Mistake rows(const char* name, const char* formula, const char* sentence,
             Tensor (*x_hat)(const Tensor& x, double eps)) {
    return {step(), name, formula, sentence, [x_hat](const Frame& f, const Tensor&) {
                const Tensor normal = x_hat(input(f, 0), epsilon(f));
                return normal.defined() ? normal * gamma(f) + beta(f) : not_here;
            }};
}

// Over these leading axes at once, as one column for each feature, or all numbers in one row.
Tensor over_positions_and_batch(const Tensor& x, double eps) {
    if (x.rank() < 3) return not_here;
    return reshape(standard(reshape(contiguous(x), {-1, x.size(-1)}), eps, 0), x.shape());
}
Tensor over_position_and_features(const Tensor& x, double eps) {
    if (x.rank() < 2 || x.size(-2) == 1) return not_here;
    const Shape flat = x.shape().leading(x.rank() - 2).with_appended(x.size(-2) * x.size(-1));
    return reshape(standard(reshape(contiguous(x), flat), eps), x.shape());
}
Tensor over_everything(const Tensor& x, double eps) {
    if (x.rank() < 3 || x.size(0) == 1) return not_here;
    return reshape(standard(reshape(contiguous(x), {1, -1}), eps), x.shape());
}
Tensor in_halves(const Tensor& x, double eps) {
    if (x.size(-1) % 2 != 0) return not_here;
    const auto halves = split(x, -1, 2);
    return concat({standard(halves[0], eps), standard(halves[1], eps)}, -1);
}

// ε as in another framework by default.
Mistake default_epsilon(const char* name, double other, const char* formula, const char* sentence) {
    return {step(), name, formula, sentence, [other](const Frame& f, const Tensor&) {
                const bool is_same = std::abs(epsilon(f) - other) < 1e-3 * other;
                return is_same ? not_here : standard(input(f, 0), other) * gamma(f) + beta(f);
            }};
}

std::vector<Mistake> of_epsilons() {
    std::vector<Mistake> all;
    all.push_back(
        rows("epsilon-outside", "(x − mean) / (√var + ε) ∘ γ + β",
             "ε is added outside the root, which shows where the variance is small.",
             [](const Tensor& x, double eps) { return centred(x) / (sqrt(var(x, -1, true)) + eps); })
            .seen("https://github.com/hkproj/pytorch-transformer/pull/31"));
    all.push_back(rows("no-epsilon", "(x − mean) / √var ∘ γ + β",
                       "ε is missing or negligibly small, which shows where the variance is small; a row of "
                       "equal numbers becomes 0/0.",
                       [](const Tensor& x, double) { return standard(x, 0); })
                      .seen("https://github.com/deeplearning4j/deeplearning4j/issues/8241")
                      .in_class("hardly an epsilon"));
    all.push_back(default_epsilon("pytorch-epsilon", 1e-5, "ε = 1e-5",
                                  "ε is PyTorch's default, 1e-5, not this convention's."));
    all.push_back(
        default_epsilon("flax-epsilon", 1e-6, "ε = 1e-6", "ε is Flax's default, 1e-6, not this convention's.")
            .in_class("hardly an epsilon"));
    all.push_back(default_epsilon("keras-epsilon", keras_epsilon, "ε = 1e-3",
                                  "ε is Keras' default, 1e-3, not this convention's."));
    all.push_back(
        rows("annotated", "(x − mean) / (s + ε) ∘ γ + β,  s² = Σ (x − mean)² / (d − 1)",
             "As in the Annotated Transformer: divided by d − 1, with ε outside the root.",
             [](const Tensor& x, double eps) { return centred(x) / (sqrt(var(x, -1, true, 1)) + eps); })
            .in_class("a sample variance"));
    all.push_back(rows("smaller-epsilon", "ε / 1000",
                       "ε is far smaller than the configured one; sources range from 1e-3 to 1e-12.",
                       [](const Tensor& x, double eps) { return standard(x, eps / 1000); })
                      .in_class("hardly an epsilon"));
    all.push_back(rows("larger-epsilon", "1000 ε",
                       "ε is far larger than the configured one; sources range from 1e-3 to 1e-12.",
                       [](const Tensor& x, double eps) {
                           const bool is_keras = std::abs(eps * 1000 - keras_epsilon) < 1e-9;
                           return is_keras ? not_here : standard(x, eps * 1000);
                       }));
    all.push_back(
        rows("epsilon-squared", "(x − mean) / √(var + ε²) ∘ γ + β",
             "ε is squared under the root, as if it were a standard deviation; it is added to a variance.",
             [](const Tensor& x, double eps) { return standard(x, eps * eps); })
            .in_class("hardly an epsilon"));
    all.push_back(rows("epsilon-in-both", "(x − mean) / (√(var + ε) + ε) ∘ γ + β",
                       "ε is added both inside and outside the root.", [](const Tensor& x, double eps) {
                           return centred(x) / (sqrt(var(x, -1, true) + eps) + eps);
                       }));
    // If the variance is small these are the numbers without an ε, which is likelier and comes first.
    all.push_back(rows("applied-twice", "LayerNorm(LayerNorm(x)), γ and β once",
                       "The row is normalised twice: the second time by the root of 1 + ε.",
                       [](const Tensor& x, double eps) { return standard(standard(x, eps), eps); }));
    return all;
}

std::vector<Mistake> of_moments() {
    std::vector<Mistake> all;
    all.push_back(rows("no-mean", "x / √(var + ε) ∘ γ + β", "The row's mean is not subtracted.",
                       [](const Tensor& x, double eps) { return x / sqrt(var(x, -1, true) + eps); }));
    all.push_back(rows("not-divided", "(x − mean) ∘ γ + β",
                       "The mean is subtracted, but nothing is divided by the standard deviation.",
                       [](const Tensor& x, double) { return centred(x); }));
    all.push_back(rows("no-root", "(x − mean) / (var + ε) ∘ γ + β",
                       "Divided by the variance instead of its root.",
                       [](const Tensor& x, double eps) { return centred(x) / (var(x, -1, true) + eps); }));
    all.push_back(rows("squared", "(x − mean) / (var + ε)² ∘ γ + β",
                       "The variance is squared instead of its root taken.",
                       [](const Tensor& x, double eps) {
                           const Tensor under = var(x, -1, true) + eps;
                           return centred(x) / (under * under);
                       })
                      .seen("https://github.com/131250208/TPlinker-joint-extraction/issues/37"));
    all.push_back(
        rows("multiplied", "(x − mean) √(var + ε) ∘ γ + β",
             "Multiplied by the standard deviation instead of divided.",
             [](const Tensor& x, double eps) { return centred(x) * sqrt(var(x, -1, true) + eps); }));
    all.push_back(rows("sample-variance", "Σ (x − mean)² / (d − 1) for the variance",
                       "The sum of squares is divided by d − 1, as torch.var does, instead of d.",
                       [](const Tensor& x, double eps) {
                           return x.size(-1) > 1 ? centred(x) / sqrt(var(x, -1, true, 1) + eps) : not_here;
                       })
                      .seen("https://github.com/harvardnlp/annotated-transformer/pull/119")
                      .in_class("a sample variance"));
    all.push_back(rows("sum-of-squares", "Σ (x − mean)² for the variance",
                       "The sum of squares is not divided by d: the variance is their mean.",
                       [](const Tensor& x, double eps) {
                           const Tensor c = centred(x);
                           return c / sqrt(sum(c * c, -1, true) + eps);
                       }));
    all.push_back(rows("mean-absolute", "(x − mean) / (mean |x − mean| + ε) ∘ γ + β",
                       "Divided by the mean absolute deviation instead of the standard deviation.",
                       [](const Tensor& x, double eps) {
                           const Tensor c = centred(x);
                           return c / (mean(abs(c), -1, true) + eps);
                       }));
    all.push_back(rows(
        "raw-square", "mean x² for the variance", "The variance is computed around 0 instead of the mean.",
        [](const Tensor& x, double eps) { return centred(x) / sqrt(mean(x * x, -1, true) + eps); }));
    all.push_back(rows("root-mean-square", "x / √(mean x² + ε) ∘ γ + β",
                       "The mean is never subtracted: that is an RMSNorm, apart from β.",
                       [](const Tensor& x, double eps) { return x / sqrt(mean(x * x, -1, true) + eps); }));
    all.push_back(rows("unit-length", "x / √(Σ x² + ε) ∘ γ + β",
                       "The row is scaled to length 1; a layer norm gives it mean 0 and variance 1.",
                       [](const Tensor& x, double eps) { return x / sqrt(sum(x * x, -1, true) + eps); }));
    all.push_back(rows("range", "(x − min) / (max − min + ε) ∘ γ + β",
                       "The row is scaled to the range from 0 to 1 instead of mean 0 and variance 1.",
                       [](const Tensor& x, double eps) {
                           const Tensor low = min(x, -1, true);
                           return (x - low) / (max(x, -1, true) - low + eps);
                       }));
    all.push_back(rows(
        "mean-added", "(x + mean) / √(var + ε) ∘ γ + β", "The mean is added, not subtracted.",
        [](const Tensor& x, double eps) { return (x + mean(x, -1, true)) / sqrt(var(x, -1, true) + eps); }));
    all.push_back(rows("sum-for-mean", "(x − Σ x) / √(mean (x − Σ x)² + ε) ∘ γ + β",
                       "The row's sum is subtracted: it is not divided by d.",
                       [](const Tensor& x, double eps) {
                           const Tensor c = x - sum(x, -1, true);
                           return c / sqrt(mean(c * c, -1, true) + eps);
                       }));
    all.push_back(rows("sign", "(mean − x) / √(var + ε) ∘ γ + β", "The difference has the wrong sign.",
                       [](const Tensor& x, double eps) { return -standard(x, eps); }));
    all.push_back(rows(
        "mean-after-division", "(x / √(var + ε) − mean) ∘ γ + β",
        "The mean is subtracted after the division, when everything else is already scaled.",
        [](const Tensor& x, double eps) { return x / sqrt(var(x, -1, true) + eps) - mean(x, -1, true); }));
    all.push_back(rows(
        "brackets", "(x − mean / √(var + ε)) ∘ γ + β",
        "Only the mean is divided: the parentheses around the difference are missing.",
        [](const Tensor& x, double eps) { return x - mean(x, -1, true) / sqrt(var(x, -1, true) + eps); }));
    return all;
}

// The mean and the variance each over an axis of its own.
Tensor over_two_axes(const Tensor& x, double eps, int of_mean, int of_variance) {
    if (!has_several(x, of_mean) || !has_several(x, of_variance)) return not_here;
    const Tensor c = centred(x, of_mean);
    return c / sqrt(mean(c * c, of_variance, true) + eps);
}

std::vector<Mistake> of_axes() {
    std::vector<Mistake> all;
    all.push_back(rows("mean-over-sequence", "mean down each column",
                       "The mean runs over the positions, the variance over the features, as both should.",
                       [](const Tensor& x, double eps) { return over_two_axes(x, eps, -2, -1); }));
    all.push_back(rows("variance-over-sequence", "variance down each column",
                       "The variance runs over the positions, the mean over the features, as both should.",
                       [](const Tensor& x, double eps) { return over_two_axes(x, eps, -1, -2); }));
    all.push_back(rows("mean-over-batch", "mean over the sequences of the batch",
                       "The mean runs over the batch, the variance over the features, as both should.",
                       [](const Tensor& x, double eps) { return over_two_axes(x, eps, -3, -1); }));
    all.push_back(rows("variance-over-batch", "variance over the sequences of the batch",
                       "The variance runs over the batch, the mean over the features, as both should.",
                       [](const Tensor& x, double eps) { return over_two_axes(x, eps, -1, -3); }));
    all.push_back(
        rows("over-sequence", "mean and variance down each column",
             "Mean and variance run over the positions; a layer norm treats each position on its own.",
             [](const Tensor& x, double eps) {
                 return x.rank() > 1 && x.size(-2) > 1 ? standard(x, eps, -2) : not_here;
             })
            .seen("https://github.com/jadore801120/attention-is-all-you-need-pytorch/pull/17"));
    all.push_back(rows("over-batch", "mean and variance over the sequences of the batch",
                       "Mean and variance run over the batch: a sequence's result depends on the others.",
                       [](const Tensor& x, double eps) {
                           return x.rank() > 2 && x.size(0) > 1 ? standard(x, eps, 0) : not_here;
                       }));
    all.push_back(
        rows("batch-norm", "mean and variance of each feature over batch and positions",
             "Mean and variance run over batch and positions for each feature: that is a BatchNorm.",
             over_positions_and_batch));
    all.push_back(rows("over-all", "one mean and one variance of the whole matrix",
                       "One mean and variance for the whole matrix; every row needs its own.",
                       over_position_and_features)
                      .seen("https://github.com/reczoo/FuxiCTR/issues/23"));
    all.push_back(rows("over-everything", "one mean and one variance of the whole batch",
                       "One mean and variance for all sequences; every row needs its own.", over_everything)
                      .seen("https://github.com/Qualcomm-AI-research/geometric-algebra-transformer/pull/8"));
    all.push_back(rows("in-halves", "each half of a row by itself",
                       "Each half of the features is normalised on its own, as a group norm does.",
                       in_halves));
    all.push_back(rows("first-row", "mean and variance of the first position",
                       "All positions share the mean and the variance of the first one.",
                       [](const Tensor& x, double eps) {
                           if (x.rank() < 2 || x.size(-2) == 1) return not_here;
                           const Tensor row = slice(x, -2, 0, 1);
                           return (x - mean(row, -1, true)) / sqrt(var(row, -1, true) + eps);
                       }));
    return all;
}

std::vector<Mistake> of_affine() {
    return {
        Mistake{step(), "not-normalised", "x", "The norm is missing: its input is passed on unchanged.",
                [](const Frame& f, const Tensor&) { return input(f, 0); }}
            .seen("https://github.com/lsdefine/attention-is-all-you-need-keras/issues/33"),
        {step(), "only-affine", "x ∘ γ + β", "γ and β are applied to an unnormalised row.",
         [](const Frame& f, const Tensor&) { return input(f, 0) * gamma(f) + beta(f); }},
        Mistake{step(), "no-affine", "(x − mean) / √(var + ε)",
                "The rows are normalised, but γ and β are missing.",
                [](const Frame& f, const Tensor&) { return standard(f); }}
            .seen("https://github.com/FluxML/Flux.jl/pull/78"),
        {step(), "no-gamma", "(x − mean) / √(var + ε) + β", "γ is missing.",
         [](const Frame& f, const Tensor&) { return standard(f) + beta(f); }},
        Mistake{step(), "no-beta", "(x − mean) / √(var + ε) ∘ γ", "β is missing.",
                [](const Frame& f, const Tensor& made) { return made - beta(f); }}
            .of_made(),
        {step(), "affine-exchanged", "(x − mean) / √(var + ε) ∘ β + γ",
         "γ and β are swapped: γ is the factor, β is added.",
         [](const Frame& f, const Tensor&) { return standard(f) * beta(f) + gamma(f); }},
        {step(), "gamma-added", "(x − mean) / √(var + ε) + γ + β", "γ is added instead of multiplied.",
         [](const Frame& f, const Tensor&) { return standard(f) + gamma(f) + beta(f); }},
        {step(), "gamma-from-one", "(x − mean) / √(var + ε) ∘ (1 + γ) + β",
         "γ is read as its difference from 1, as some models store it.",
         [](const Frame& f, const Tensor&) { return standard(f) * (gamma(f) + 1) + beta(f); }},
        {step(), "divided-by-gamma", "(x − mean) / √(var + ε) / γ + β", "Divided by γ instead of multiplied.",
         [](const Frame& f, const Tensor&) { return standard(f) / gamma(f) + beta(f); }},
        Mistake{step(), "beta-first", "((x − mean) / √(var + ε) + β) ∘ γ",
                "β is added before the product with γ.",
                [](const Frame& f, const Tensor& made) { return made - beta(f) + beta(f) * gamma(f); }}
            .of_made(),
        Mistake{step(), "beta-subtracted", "(x − mean) / √(var + ε) ∘ γ − β", "β is subtracted, not added.",
                [](const Frame& f, const Tensor& made) { return made - beta(f) * 2; }}
            .of_made(),
        {step(), "affine-twice", "LayerNorm(x) ∘ γ + β", "γ and β are applied a second time.",
         [](const Frame& f, const Tensor& made) { return made * gamma(f) + beta(f); }},
        {step(), "affine-first", "(z − mean) / √(var + ε),  z = x ∘ γ + β",
         "γ and β come before the norm, which cancels most of their effect.",
         [](const Frame& f, const Tensor&) {
             return standard(input(f, 0) * gamma(f) + beta(f), epsilon(f));
         }},
        Mistake{step(), "whole-twice", "LayerNorm(LayerNorm(x))", "The whole norm is applied twice.",
                [](const Frame& f, const Tensor& made) {
                    return glassbox::layer_norm(made, gamma(f), beta(f), epsilon(f));
                }}
            .seen("https://github.com/Atten4Vis/ConditionalDETR/issues/11"),
        {step(), "rms-norm", "x / √(mean x² + ε) ∘ γ", "This is RMSNorm, with neither mean nor β.",
         [](const Frame& f, const Tensor&) {
             const Tensor& x = input(f, 0);
             return x / sqrt(mean(x * x, -1, true) + epsilon(f)) * gamma(f);
         }},
    };
}

}  // namespace

// (x − mean) / √(var + ε) ∘ γ + β, in any layer
std::vector<Mistake> layer_norm() { return joined({of_affine(), of_moments(), of_epsilons(), of_axes()}); }

}  // namespace glassbox::catalogue
