#include <glassbox/train/loss.h>

#include <glassbox/observe/record.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::accuracy;

namespace {

// Counting has no gradient.
Tape::Gradients no_pullback(const Tensor&) { return {}; }

// (…, C) → (…)
Tensor most_likely(const Tensor& logits) {
    const std::vector<index_t> best = argmax(logits, -1);
    const Tensor places(logits.shape().leading(logits.rank() - 1),
                        std::vector<real>(best.begin(), best.end()));
    return record("argmax", places.to(logits.device()), {&logits}, no_pullback);
}

// 1 where a is b, and b is not negative.
Tensor matches(const Tensor& a, const Tensor& b) {
    const NoRecording silence;
    return (1 - (a > b) - (b > a)) * (b > -0.5);
}

Tensor matching(const Tensor& a, const Tensor& b) {
    return record("matches", matches(a, b), {&a, &b}, no_pullback);
}

}  // namespace

// accuracy = Σ right / counted
Tensor accuracy(const Tensor& logits, const Tensor& labels) {
    if (logits.rank() == 0 || logits.shape().leading(logits.rank() - 1) != labels.shape())
        fail("accuracy: expected a label for each row of the logits {}, got {}", logits.shape(),
             labels.shape());
    const Tensor answers = named(step::answers, most_likely(logits));    // (…)
    const Tensor right = named(step::right, matching(answers, labels));  // (…), 0 or 1
    return named(step::accuracy, sum(right) / sum(labels > -0.5));       // ()
}

}  // namespace glassbox
