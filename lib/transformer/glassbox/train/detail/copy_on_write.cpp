#include <glassbox/train/detail/copy_on_write.h>

#include <glassbox/backend/backend.h>

namespace glassbox {

void ensure_unique(Tensor& x) {
    if (x.holders() <= 1) return;
    Tensor copy = Tensor::empty(x.shape(), x.device());
    backend(x.device()).copy(x.view(), copy.writable());
    x = std::move(copy);
}

}  // namespace glassbox
