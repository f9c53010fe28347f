#include <glassbox/train/detail/own_numbers.h>

#include <glassbox/backend/backend.h>

namespace glassbox {

void make_own(Tensor& x) {
    if (x.holders() <= 1) return;
    Tensor own = Tensor::empty(x.shape(), x.device());
    backend(x.device()).copy(x.view(), own.writable());
    x = std::move(own);
}

}  // namespace glassbox
