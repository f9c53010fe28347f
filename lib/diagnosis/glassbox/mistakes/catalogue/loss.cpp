#include <cmath>
#include <numbers>

#include <glassbox/mistakes/catalogue/places.h>
#include <glassbox/train/loss.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::loss;

namespace {

Tensor p(const Frame& f) { return f["probabilities"]; }
Tensor q(const Frame& f) { return f["q"]; }
Tensor log_p(const Frame& f) { return log_softmax(f["logits"]); }
// (1 − ε) · hot + spread, or null where the labels are not smoothed.
const Operation* smoothing(const Frame& f) { return operation_at(f, scope_of(f.path()) + "q"); }
bool is_smoothed(const Frame& f) { return smoothing(f) != nullptr; }
// 1 at the label, else 0.
Tensor hot(const Frame& f) { return is_smoothed(f) ? input_of(f, smoothing(f)->inputs[0], 0) : q(f); }
Tensor counts(const Frame& f) { return sum(hot(f), -1); }  // 1 for each row with a label, else 0
double classes(const Frame& f) { return static_cast<double>(size(f["logits"], -1)); }
// ε of the smoothing, or 0.
double smoothed_share(const Frame& f) {
    return is_smoothed(f) ? 1 - static_cast<double>(input_of(f, smoothing(f)->inputs[0], 1).item()) : 0;
}
double number_of(const Tensor& x) { return static_cast<double>(x.values().size()); }
double places(const Frame& f) { return number_of(f["labels"]); }
bool has_rows(const Frame& f) { return f["labels"].rank() > 1; }  // a sequence each
double sequences(const Frame& f) { return places(f) / static_cast<double>(size(f["labels"], -1)); }
// Each row in the place of the one after it.
Tensor moved_down(const Tensor& x) { return reversed(rolled(reversed(x, -2), -2), -2); }
Tensor against(const Frame& f, const Tensor& other_q) { return -sum(other_q * log_p(f), -1); }

// Of what somebody takes for log_softmax(logits).
Mistake of_logarithms(const char* name, const char* formula, const char* sentence,
                      Tensor (*other)(const Tensor& logits)) {
    return {step::losses, name, formula, sentence, [other](const Frame& f, const Tensor&) {
                const Tensor log_p = other(f["logits"]);
                return log_p.defined() ? -sum(q(f) * log_p, -1) : not_here;
            }};
}

Tensor less_largest(const Tensor& x, int axis) { return x - max(x, axis, true); }
// Each with its own axis: what is subtracted, and what is summed over.
Tensor over_axes(const Tensor& x, int of_largest, int of_sum) {
    if (!has_several(x, of_largest) || !has_several(x, of_sum)) return not_here;
    const Tensor less = less_largest(x, of_largest);
    return less - log(sum(exp(less), of_sum, true));
}

std::vector<Mistake> of_other_logarithms() {
    return {
        of_logarithms("only-largest", "−Σ_c q_c (logits_c − m)",
                      "Only the largest logit is subtracted, not ln Σ exp(logits).",
                      [](const Tensor& x) { return less_largest(x, -1); }),
        of_logarithms("sum-without-logarithm", "−Σ_c q_c (logits_c − m − Σ exp(logits − m))",
                      "The sum is subtracted without its logarithm.",
                      [](const Tensor& x) {
                          const Tensor less = less_largest(x, -1);
                          return less - sum(exp(less), -1, true);
                      }),
        of_logarithms("sum-added", "−Σ_c q_c (logits_c − m + ln Σ exp(logits − m))",
                      "The logarithm of the sum is added, not subtracted.",
                      [](const Tensor& x) { return less_largest(x, -1) * 2 - log_softmax(x); }),
        of_logarithms(
            "mean-of-exp", "−Σ_c q_c (logits_c − ln mean exp(logits))",
            "The mean of exp is taken instead of the sum: the loss is too low by ln C.",
            [](const Tensor& x) { return log_softmax(x) + std::log(static_cast<double>(size(x, -1))); }),
        of_logarithms("summed-over-positions", "the sum of exp over the positions",
                      "The sum runs over the positions: each row needs its own.",
                      [](const Tensor& x) { return over_axes(x, -1, -2); }),
        of_logarithms(
            "largest-of-positions", "m the largest of each class over the positions",
            "What is subtracted differs along the row, which changes it: subtract one number per row.",
            [](const Tensor& x) { return over_axes(x, -2, -1); }),
        of_logarithms("over-batch", "ln of a softmax over the batch",
                      "The softmax runs over the sequences of the batch, which are independent.",
                      [](const Tensor& x) { return over_axes(x, -3, -3); }),
    };
}

std::vector<Mistake> of_losses() {
    return {
        {step::losses, "sign", "Σ_c q_c ln probabilities_c",
         "The minus is missing: logarithms of probabilities are negative, and a loss should fall towards 0.",
         [](const Frame&, const Tensor& made) { return -made; }},
        {step::losses, "other-logarithm", "−Σ_c q_c log₂ probabilities_c",
         "The logarithm is to base 2, in bits; it should be natural.",
         [](const Frame&, const Tensor& made) { return made / std::numbers::ln2; }},
        {step::losses, "base-ten", "−Σ_c q_c log₁₀ probabilities_c",
         "The logarithm is to base 10; it should be natural.",
         [](const Frame&, const Tensor& made) { return made / std::numbers::ln10; }},
        {step::losses, "no-logit", "ln Σ exp(logits)", "The logit of the label is not subtracted.",
         [](const Frame& f, const Tensor&) { return log(sum(exp(f["logits"]), -1)) * counts(f); }},
        Mistake{
            step::losses, "overflow",
            "ln Σ exp(logits) − Σ_c q_c logits_c, without subtracting the largest logit",
            "exp of a large logit is infinite, and that of a very negative one is 0, whose logarithm is −∞.",
            [](const Frame& f, const Tensor&) {
                return where(counts(f), log(sum(exp(f["logits"]), -1)) - sum(q(f) * f["logits"], -1), 0.0);
            }}
            .in_class("an overflow")
            .by_overflow(),
        {step::losses, "score", "−Σ_c q_c logits_c",
         "This is minus the label's score, which raising all scores equally also reduces.",
         [](const Frame& f, const Tensor&) { return -sum(q(f) * f["logits"], -1); }},
        {step::losses, "probability", "Σ_c q_c probabilities_c",
         "This is the label's probability; the loss is minus its logarithm.",
         [](const Frame& f, const Tensor&) { return sum(q(f) * p(f), -1); }},
        {step::losses, "of-probabilities", "−Σ_c q_c probabilities_c",
         "The probability is taken for its logarithm: nll_loss and kl_div are given a log-softmax.",
         [](const Frame& f, const Tensor&) { return -sum(q(f) * p(f), -1); }},
        {step::losses, "no-logarithm", "1 − Σ_c q_c probabilities_c",
         "The logarithm is missing: a probability of 0.01 costs hardly less than one of 0.0001.",
         [](const Frame& f, const Tensor&) { return counts(f) - sum(q(f) * p(f), -1); }},
        {step::losses, "answer", "−ln max probabilities",
         "This uses the largest probability, right or wrong: the model is rewarded for confidence.",
         [](const Frame& f, const Tensor&) { return -max(log_p(f), -1) * counts(f); }},
        Mistake{step::losses, "softmax-twice", "−Σ_c q_c ln softmax(probabilities)_c",
                "The softmax is applied to what is already a softmax: the loss cannot approach 0.",
                [](const Frame& f, const Tensor&) { return -sum(q(f) * log_softmax(p(f)), -1); }}
            .seen("https://github.com/ariecattan/SciCo/issues/2"),
        {step::losses, "squared", "Σ_c (probabilities_c − q_c)²",
         "This is the squared error of the probabilities: a confidently wrong model hardly learns.",
         [](const Frame& f, const Tensor&) {
             const Tensor error = p(f) - q(f);
             return sum(error * error, -1) * counts(f);
         }},
        {step::losses, "binary", "the mean over c of −q_c ln σ(logits_c) − (1 − q_c) ln(1 − σ(logits_c))",
         "Every class is judged on its own (a sigmoid); the softmax lets them compete.",
         [](const Frame& f, const Tensor&) {
             const Tensor s = sigmoid(f["logits"]);
             return -mean(q(f) * log(s) + (1 - q(f)) * log(1 - s), -1) * counts(f);
         }},
        {step::losses, "binary-of-probabilities", "the mean over c of −q_c ln p_c − (1 − q_c) ln(1 − p_c)",
         "Every class is judged on its own with its probability (binary cross-entropy).",
         [](const Frame& f, const Tensor&) {
             return -mean(q(f) * log(p(f)) + (1 - q(f)) * log(1 - p(f)), -1) * counts(f);
         }},
        {step::losses, "over-positions", "ln of a softmax over the positions",
         "The softmax runs over the positions, which then compete for each class.",
         [](const Frame& f, const Tensor&) {
             return f["logits"].rank() > 1 ? -sum(q(f) * transpose(log_softmax(transpose(f["logits"]))), -1)
                                           : not_here;
         }},
        Mistake{step::losses, "next-label", "the label of the next row",
                "Every row is compared with the next one's label: labels already shifted are shifted again.",
                [](const Frame& f, const Tensor&) { return against(f, rolled(q(f), -2)); }}
            .seen("https://github.com/huggingface/transformers/issues/47394"),
        {step::losses, "label-before", "the label of the row before",
         "Every row is compared with the label of the row before it.",
         [](const Frame& f, const Tensor&) { return against(f, moved_down(q(f))); }},
        Mistake{step::losses, "padding-counted", "label 0 where there is none",
                "Where there is no label, class 0 is used: the model learns to predict padding.",
                [](const Frame& f, const Tensor& made) {
                    const Tensor zero = select(log_p(f), -1, 0), all = mean(log_p(f), -1);
                    const double spread = smoothed_share(f);
                    return made - (1 - counts(f)) * (zero * (1 - spread) + all * spread);
                }}
            .seen("https://github.com/lucidrains/DALLE-pytorch/issues/57"),
        {step::losses, "smoothed", "−Σ_c (0.9 q_c + 0.1 / C) ln probabilities_c",
         "A tenth of the label's weight is spread over all classes: label smoothing is not set here.",
         [](const Frame& f, const Tensor&) {
             const Tensor share = sum(q(f), -1, true) * (0.1 / classes(f));
             return is_smoothed(f) ? not_here : against(f, q(f) * 0.9 + share);
         }},
        {step::losses, "by-classes", "−Σ_c q_c ln probabilities_c / C",
         "Divided by the number of classes; each row has only one loss.",
         [](const Frame& f, const Tensor& made) { return made / classes(f); }},
        {step::losses, "entropy", "−Σ_c probabilities_c ln probabilities_c",
         "This is the entropy of the probabilities: the label is not used.",
         [](const Frame& f, const Tensor&) { return against(f, p(f)) * counts(f); }},
        {step::losses, "all-elements", "the mean over c of −ln probabilities_c",
         "The logarithms of all classes are averaged instead of the label's alone.",
         [](const Frame& f, const Tensor&) { return -mean(log_p(f), -1) * counts(f); }},
        {step::losses, "divergence", "Σ_c q_c (ln q_c − ln probabilities_c)",
         "The entropy of the smoothed labels is subtracted: the loss is off by a constant.",
         [](const Frame& f, const Tensor& made) {
             return is_smoothed(f) ? made + sum(q(f) * log(q(f) + 1e-30), -1) : not_here;
         }},
        Mistake{step::losses, "divergence-summed",
                "Σ_c q_c (ln q_c − ln probabilities_c), and all rows summed",
                "The divergence of the smoothed labels is summed over the rows, as by KLDivLoss with "
                "reduction=\"sum\": the loss is their mean, without the entropy of the labels.",
                [](const Frame& f, const Tensor& made) {
                    return is_smoothed(f) ? made + sum(q(f) * log(q(f) + 1e-30), -1) : not_here;
                }}
            .and_at(step::loss,
                    [](const Frame& f, const Tensor&) { return is_smoothed(f) ? input(f, 0) : not_here; }),
    };
}

std::vector<Mistake> of_means() {
    return {
        Mistake{step::loss, "sum", "Σ losses",
                "The sum is not divided, so a larger batch makes larger steps.",
                [](const Frame& f, const Tensor&) { return input(f, 0); }}
            .seen("https://github.com/huggingface/transformers/issues/7546"),
        Mistake{step::loss, "all-counted", "Σ losses / all rows",
                "Rows without a label are counted: the more padding, the better the loss looks.",
                [](const Frame& f, const Tensor&) { return input(f, 0) / places(f); }}
            .seen("https://github.com/eladhoffer/utils.pytorch/issues/4"),
        {step::loss, "by-classes", "Σ losses / C", "Divided by the number of classes, not of losses.",
         [](const Frame& f, const Tensor&) { return input(f, 0) / classes(f); }},
        {step::loss, "per-sequence", "Σ losses / sequences",
         "Divided by the number of sequences: long ones increase the loss.",
         [](const Frame& f, const Tensor&) { return has_rows(f) ? input(f, 0) / sequences(f) : not_here; }},
        {step::loss, "per-position", "Σ losses / T", "Divided only by the length of a sequence.",
         [](const Frame& f, const Tensor&) {
             return has_rows(f) ? input(f, 0) / size(f["labels"], -1) : not_here;
         }},
        Mistake{step::loss, "mean-of-means", "the mean of the sequences' means",
                "Each sequence is averaged first: a token of a short sequence weighs more.",
                [](const Frame& f, const Tensor&) {
                    return f["labels"].rank() > 1 ? mean(sum(f["losses"], -1) / sum(counts(f), -1))
                                                  : not_here;
                }}
            .seen("https://github.com/meta-pytorch/torchtune/pull/1875"),
        {step::loss, "last-position", "the mean of the last position's losses",
         "Only the last position is counted instead of every one with a label.",
         [](const Frame& f, const Tensor&) {
             return mean(select(f["losses"], -1, f["losses"].size(-1) - 1));
         }},
        {step::loss, "first-sequence", "the mean of the first sequence's losses",
         "Only the first sequence of the batch is counted.",
         [](const Frame& f, const Tensor&) {
             return f["labels"].rank() > 1 ? sum(select(f["losses"], 0, 0)) / sum(select(counts(f), 0, 0))
                                           : not_here;
         }},
        {step::loss, "shifted-again", "the mean of −ln p_t[label of t + 1], t < T",
         "Labels already shifted are shifted again, and the last position is left out.",
         [](const Frame& f, const Tensor&) {
             const index_t T = f["labels"].size(-1);
             if (T < 2) return not_here;
             const Tensor next = slice(hot(f), -2, 1, T), before = slice(log_p(f), -2, 0, T - 1);
             return -sum(next * before) / sum(next);
         }},
        {step::loss, "perplexity", "exp(Σ losses / counted)", "This is the perplexity, e^loss.",
         [](const Frame&, const Tensor& made) { return exp(made); }},
    };
}

std::vector<Mistake> of_gradients() {
    return {
        {step::dlogits, "not-divided", "probabilities − q",
         "This is the gradient of the sum of the losses instead of their mean.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {step::dlogits, "all-counted", "(probabilities − q) / all rows",
         "Divided by the number of all rows instead of those with a label.",
         [](const Frame& f, const Tensor&) { return input(f, 0) / places(f); }},
        {step::dlogits, "per-sequence", "(probabilities − q) / sequences",
         "Divided by the number of sequences instead of labels.",
         [](const Frame& f, const Tensor&) { return has_rows(f) ? input(f, 0) / sequences(f) : not_here; }},
        {step::dlogits, "by-classes", "(probabilities − q) / (counted C)",
         "Divided by the number of classes too, as by a mean over all logits.",
         [](const Frame& f, const Tensor& made) { return made / classes(f); }},
        {step::dlogits, "sign", "(q − probabilities) / counted",
         "The sign is wrong: where the gradient is positive, a larger logit increases the loss.",
         [](const Frame&, const Tensor& made) { return -made; }},
        {step::dlogits, "padding", "(probabilities − q) / counted, of all rows",
         "Rows without a label have a gradient; theirs should be 0.",
         [](const Frame& f, const Tensor&) { return (p(f) - q(f)) / input(f, 1); }},
        {step::dlogits, "no-label", "probabilities / counted",
         "1 is not subtracted at the label, so rows of the gradient do not sum to 0.",
         [](const Frame& f, const Tensor&) { return input_of(f, input(f, 0), 0) / input(f, 1); }},
        {step::dlogits, "label-only", "−q / counted", "The probabilities are missing from the gradient.",
         [](const Frame& f, const Tensor&) { return -q(f) / input(f, 1); }},
        {step::dlogits, "twice", "2 (probabilities − q) / counted",
         "Twice as large: the factor 2 belongs to the gradient of a squared error.",
         [](const Frame&, const Tensor& made) { return made * 2; }},
        {step::dlogits, "of-probabilities", "−q / probabilities / counted",
         "This is the gradient with respect to the probabilities: the softmax's derivative is missing.",
         [](const Frame& f, const Tensor&) { return -q(f) / p(f) / input(f, 1); }},
        {step::dlogits, "derivative-again",
         "(probabilities − q) ∘ probabilities ∘ (1 − probabilities) / counted",
         "The derivative of the softmax is applied twice; logarithm and softmax reduce to probabilities − q.",
         [](const Frame& f, const Tensor& made) { return made * p(f) * (1 - p(f)); }},
        {step::dlogits, "from-logits", "(logits − q) / counted", "The logits are used as probabilities.",
         [](const Frame& f, const Tensor&) {
             return (f["logits"] * sum(hot(f), -1, true) - q(f)) / input(f, 1);
         }},
    };
}

}  // namespace

// L = −1/n Σ Σ_c q_c ln p_c,  ∂L/∂logits = (p − q) / n
std::vector<Mistake> loss() {
    return joined({of_losses(), of_other_logarithms(), of_means(), of_gradients()});
}

}  // namespace glassbox::catalogue
