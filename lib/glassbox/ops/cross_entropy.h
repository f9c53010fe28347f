#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

struct CrossEntropyOptions {
    double label_smoothing = 0;  // ε in [0, 1]: what of a label's weight is spread over all classes
};

// −Σ_c q_c ln softmax(logits)_c, one loss an element: logits (…, C), labels (…) whole numbers below C kept as
// real → (…). q is 1 at the label and 0 elsewhere, smoothed: (1 − ε) q + ε/C (Szegedy et al. 2016). A
// negative label is ignored, whatever its logits: its loss is 0, and no gradient comes from it. Throws Error
// that names the place of a label that is none, and both shapes when they do not fit.
Tensor cross_entropy(const Tensor& logits, const Tensor& labels, const CrossEntropyOptions& options = {});

}  // namespace glassbox
