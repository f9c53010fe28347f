#include <glassbox/ops/linear.h>

#include <glassbox/ops/check.h>
#include <glassbox/ops/elementwise.h>
#include <glassbox/ops/matmul.h>
#include <glassbox/ops/views.h>

namespace glassbox {

// y = x Wᵀ + b
Tensor linear(const Tensor& x, const Tensor& W, const Tensor& b) {
    common_device("linear", x, W);
    if (W.rank() != 2) fail("linear: weights of shape (out, in) needed, got {}", W.shape());
    if (x.rank() < 1 || x.size(-1) != W.size(1))
        fail("linear: x of shape {} does not end in {}, the width of weights {}", x.shape(), W.size(1), W.shape());
    if (b.defined() && b.shape() != Shape{W.size(0)})
        fail("linear: a bias of shape ({},) needed for weights {}, got {}", W.size(0), W.shape(), b.shape());
    Tensor y = matmul(x, transpose(W));  // (…, out)
    return b.defined() ? y + b : y;
}

}  // namespace glassbox
