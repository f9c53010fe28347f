#include <glassbox/ops/ops.h>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/record.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

Tensor count_correct(const Tensor& logits, const Tensor& labels) {
    const Device device = common_device("count_correct", logits, labels);
    if (logits.rank() < 1 || logits.size(-1) < 1 || labels.shape() != logits.shape().without(-1))
        fail("count_correct: needs one label for each row of logits, got logits {}, labels {}",
             logits.shape(), labels.shape());
    Tensor count = Tensor::empty({}, device);
    backend(device).count_correct(logits.view(), labels.view(), count.writable());
    return count;
}

}  // namespace glassbox
