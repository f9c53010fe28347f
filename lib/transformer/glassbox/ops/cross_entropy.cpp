#include <glassbox/ops/ops.h>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/record.h>
#include <glassbox/ops/detail/integers.h>

namespace glassbox {

using namespace detail;

namespace {

real checked_smoothing(double smoothing) {
    if (!(smoothing >= 0 && smoothing <= 1))
        fail("cross_entropy: needs label smoothing from 0 to 1, got {}", smoothing);
    return static_cast<real>(smoothing);
}

void check_labels(const Tensor& logits, const Tensor& labels) {
    if (logits.rank() < 1 || logits.size(-1) < 1)
        fail("cross_entropy: needs at least 1 class, got logits {}", logits.shape());
    if (labels.shape() != logits.shape().without(-1))
        fail("cross_entropy: needs one label for each row of logits, got logits {}, labels {}",
             logits.shape(), labels.shape());
    const index_t classes = logits.size(-1);
    if (const auto wrong = first_non_integer(labels, -max_exact_integer, classes - 1))
        fail("cross_entropy: labels are whole numbers below {}, got {} at {}", classes, wrong->value,
             wrong->place);
}

}  // namespace

// L = −Σ_c q_c ln p_c,  p = softmax(logits)       ∂L/∂logits_c = (p_c − q_c) · ∂/∂L
Tensor cross_entropy(const Tensor& logits, const Tensor& labels, const CrossEntropyOptions& options) {
    const Device device = common_device("cross_entropy", logits, labels);
    check_labels(logits, labels);
    const real smoothing = checked_smoothing(options.label_smoothing);
    Tensor losses = Tensor::empty(labels.shape(), device);  // (…)
    Tensor p = Tensor::empty(logits.shape(), device);       // (…, C)
    backend(device).cross_entropy(logits.view(), labels.view(), smoothing, losses.writable(), p.writable());
    auto pullback = [p, labels, smoothing, device](const Tensor& dlosses) -> Tape::Gradients {
        Tensor dlogits = Tensor::empty(p.shape(), device);
        backend(device).cross_entropy_backward(p.view(), labels.view(), smoothing, dlosses.view(),
                                               dlogits.writable());
        return {dlogits, no_gradient};
    };
    return record("cross_entropy", losses, {&logits, &labels}, std::move(pullback),
                  {{"label_smoothing", options.label_smoothing}});
}

}  // namespace glassbox
