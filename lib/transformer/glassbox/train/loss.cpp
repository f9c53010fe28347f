#include <glassbox/train/loss.h>

#include <algorithm>

#include <glassbox/observe/detail/listening.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

namespace glassbox {

using namespace detail;

namespace step = steps::loss;

namespace {

// 1 at the label, else 0; a row of zeros for a label that does not count: (…) → (…, C).
Tensor hot_labels(const Tensor& labels, index_t classes) {
    const std::vector<real> all = labels.values();
    std::vector<real> hot(all.size() * static_cast<std::size_t>(classes), 0);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] >= 0) hot[i * static_cast<std::size_t>(classes) + static_cast<std::size_t>(all[i])] = 1;
    return Tensor(labels.shape().with_appended(classes), hot, labels.device());
}

// L = −1/n Σ Σ_c q_c ln p_c,  p = softmax(logits)
struct Loss {
    Tensor p, q, counts, loss;  // (…, C), (…, C), (…, 1), ()
    double counted;             // n
};
Loss loss_of(const Tensor& scores, const Tensor& right, const CrossEntropyOptions& options) {
    {
        const NoRecording silence;
        cross_entropy(scores, right, options);  // only for its checks
    }
    const index_t C = scores.size(-1);
    const double epsilon = options.label_smoothing;
    const Tensor hot = hot_labels(right, C), counts = sum(hot, -1, true);  // 1 for each row that counts
    const double counted = static_cast<double>(sum(counts).item());
    Tensor logits = named(step::logits, scores);                  // (…, C)
    Tensor labels = named(step::labels, right);                   // (…)
    Tensor p = named(step::probabilities, softmax(logits));       // (…, C)
    Tensor spread = counts * (epsilon / static_cast<double>(C));  // (…, 1)
    Tensor q =
        epsilon > 0 ? named(step::q_smoothed, hot * (1 - epsilon) + spread) : named(step::q, hot);  // (…, C)
    Tensor log_p = where(q > 0, log_softmax(logits), 0.0);     // (…, C): 0 · ln 0 = 0
    Tensor losses = named(step::losses, -sum(q * log_p, -1));  // (…)
    Tensor loss = named(step::loss, sum(losses) / counted);    // ()
    return {p, q, counts, loss, counted};
}

}  // namespace

// ∂L/∂logits = (p − q) / n
LossAndGradient loss_and_gradient(const Tensor& logits, const Tensor& labels,
                                  const CrossEntropyOptions& options) {
    const Loss L = loss_of(logits, labels, options);
    Tensor dlogits = named(step::dlogits, (L.p * L.counts - L.q) / L.counted);  // (…, C)
    return {L.loss, dlogits};
}

// PP = exp(L)
Tensor perplexity(const Tensor& logits, const Tensor& labels) {
    return named(steps::perplexity::perplexity, exp(loss_of(logits, labels, {}).loss));
}

// L = −1/n Σ Σ_c q_c ln p_c
Tensor loss_of_probabilities(const Tensor& scores, const Tensor& probabilities, const Tensor& right) {
    {
        const NoRecording silence;
        cross_entropy(scores, right);  // only for its checks
    }
    (void)named(step::logits, scores);                                          // (…, C)
    Tensor labels = named(step::labels, right);                                 // (…)
    Tensor p = named(step::probabilities, probabilities);                       // (…, C)
    Tensor q = named(step::q, hot_labels(labels, p.size(-1))), counts = q > 0;  // (…, C)
    Tensor log_p = where(counts, log(where(counts, p, 1.0)), 0.0);              // (…, C)
    Tensor losses = named(step::losses, -sum(q * log_p, -1));                   // (…)
    return named(step::loss, sum(losses) / sum(counts));                        // ()
}

}  // namespace glassbox
