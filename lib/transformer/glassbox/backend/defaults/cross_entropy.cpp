#include <algorithm>

#include <glassbox/backend/defaults/value.h>
#include <glassbox/tensor/real.h>

namespace glassbox {

using namespace defaults;

namespace {

// 1 where a = b, else 0, for finite numbers.
Value equal(const Value& a, const Value& b) {
    const Value difference = a - b;
    return 1 - is_positive(difference * difference);
}

// q_c = (1 − ε) [c = label] + ε/C
Value targets(const Value& label, index_t classes, real smoothing) {
    const Value at_label = equal(arange(label.on(), classes), label);            // (…, C)
    return at_label * (1 - smoothing) + smoothing / static_cast<real>(classes);  // (…, C)
}

// 1 for rows that count, those with a label that is not negative.
Value counted(const Value& label) { return 1 - is_positive(-label); }

}  // namespace

// p = softmax(x),  loss = −Σ_c q_c ln p_c; a class with q_c = 0 adds nothing, even where p_c is 0
void Backend::cross_entropy(const ConstView& logits, const ConstView& labels, real smoothing,
                            const View& losses, const View& p) {
    const Value x(*this, logits), label = column(Value(*this, labels));  // (…, C), (…, 1)
    const Value q = targets(label, logits.shape[-1], smoothing);         // (…, C)
    const Value terms = where(q, q * row_log_softmax(x), 0);             // (…, C)
    assign(losses, where(counted(label), -row_sum(terms), 0));           // (…)
    assign(p, where(counted(label), row_softmax(x), 0));                 // (…, C)
}

// dx = (p − q) · dloss
void Backend::cross_entropy_backward(const ConstView& p_view, const ConstView& labels, real smoothing,
                                     const ConstView& dlosses, const View& dlogits) {
    const Value p(*this, p_view), label = column(Value(*this, labels));  // (…, C), (…, 1)
    const Value q = targets(label, p.shape()[-1], smoothing);            // (…, C)
    const Value dloss = column(Value(*this, dlosses));                   // (…, 1)
    assign(dlogits, where(counted(label), (p - q) * dloss, 0));          // (…, C)
}

// Σ_i [argmax_c x_ic = label_i], on the host: there is no required kernel for argmax.
void Backend::count_correct(const ConstView& logits, const ConstView& labels, const View& count) {
    const std::vector<real> x = on_host(Value(*this, logits)), all_labels = on_host(Value(*this, labels));
    const std::ptrdiff_t classes = logits.shape[-1];
    index_t correct = 0;
    auto row = x.begin();
    for (const real label : all_labels) {
        const std::ptrdiff_t largest = std::max_element(row, row + classes, precedes) - row;
        correct += label >= 0 && largest == static_cast<index_t>(label);
        row += classes;
    }
    fill(count, static_cast<real>(correct));
}

}  // namespace glassbox
