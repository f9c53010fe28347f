#include <algorithm>
#include <vector>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/tensor/real.h>

namespace glassbox {

// Σ_i [argmax_c x_ic = label_i]
void CpuBackend::count_correct(const ConstView& logits, const ConstView& labels, const View& count) {
    const index_t classes = logits.shape[-1], rows = labels.shape.numel();
    std::vector<real> buffer_x, buffer_labels;
    const real *x = contiguous_data(logits, buffer_x), *label = contiguous_data(labels, buffer_labels);
    index_t correct = 0;
    for (index_t i = 0; i < rows; ++i, x += classes)
        if (label[i] >= 0)
            correct += std::max_element(x, x + classes, precedes) - x == static_cast<index_t>(label[i]);
    *count.data = static_cast<real>(correct);
}

}  // namespace glassbox
