#include <glassbox/tasks/classified.h>

#include <algorithm>

#include <glassbox/observe/listening.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/reduce.h>
#include <glassbox/ops/views.h>

namespace glassbox {
namespace {

Tensor on_host(const Tensor& x) {
    const Silence silence;  // counting is no step of the computation
    return contiguous(x.to(Device::cpu));
}

// How many rows have their largest number, the first of several, at their label.
index_t count_correct(const Tensor& logits, const Tensor& labels) {
    const Tensor rows = on_host(logits), wanted = on_host(labels);
    const index_t classes = rows.size(-1);
    const real *row = rows.data(), *label = wanted.data();
    index_t correct = 0;
    for (index_t i = 0; i < wanted.numel(); ++i, row += classes)
        if (label[i] >= 0)
            correct += std::max_element(row, row + classes) - row == static_cast<index_t>(label[i]);
    return correct;
}

}  // namespace

index_t count_labels(const Tensor& labels) {
    const Tensor wanted = on_host(labels);
    const real* label = wanted.data();
    return std::count_if(label, label + wanted.numel(), [](real x) { return x >= 0; });
}

// loss = Σ −ln softmax(logits)_label
Outcome classified(const Tensor& logits, const Tensor& labels, const CrossEntropyOptions& options) {
    const Tensor losses = named("losses", cross_entropy(logits, labels, options));  // (…)
    const Tensor loss = named("loss", sum(losses));                                 // ()
    return {loss, count_labels(labels), count_correct(logits, labels)};
}

}  // namespace glassbox
