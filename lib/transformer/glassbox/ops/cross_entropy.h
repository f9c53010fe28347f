#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

struct CrossEntropyOptions {
    double label_smoothing = 0;  // ε in [0, 1]: the share of a label's weight spread over all classes
};

// −Σ_c q_c ln softmax(logits)_c, one loss per element: logits (…, C), labels (…) integers below C stored as
// real → (…). q is 1 at the label and 0 elsewhere, smoothed: (1 − ε) q + ε/C (Szegedy et al. 2016). Elements
// with a negative label are ignored: their loss and gradient are 0, whatever the logits. Throws Error with
// the index of an invalid label, and with both shapes when they do not fit.
Tensor cross_entropy(const Tensor& logits, const Tensor& labels, const CrossEntropyOptions& options = {});

}  // namespace glassbox
