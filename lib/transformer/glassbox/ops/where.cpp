#include <glassbox/ops/ops.h>

#include <glassbox/observe/detail/listening.h>
#include <glassbox/observe/record.h>

namespace glassbox {

using namespace detail;

namespace {

// 1 where x is 0, else 0.
Tensor where_zero(const Tensor& x) { return masked_fill(Tensor::zeros(x.shape(), x.device()), x, 1); }

Shape common_shape(const Tensor& condition, const Tensor& a, const Tensor& b) {
    common_device("where", a, b);
    common_device("where", condition, a);
    return broadcast_shapes("where", condition.shape(), broadcast_shapes("where", a.shape(), b.shape()));
}

}  // namespace

// y = a where the condition is not 0, else b       ∂L/∂a = ∂L/∂y where it is not 0, else 0; ∂L/∂b vice versa
//
// Computed as a sum in which each operand is −0 where the other is chosen: x + (−0) is bitwise x for any x.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
    const Shape shape = common_shape(condition, a, b);
    Tensor otherwise, y;
    {
        const NoRecording silence;
        otherwise = where_zero(condition);
        y = masked_fill(broadcast_to(a, shape), condition, -0.0) +
            masked_fill(broadcast_to(b, shape), otherwise, -0.0);
    }
    return record("where", y, {&condition, &a, &b},
                  [condition, otherwise, p = a.shape(), q = b.shape()](const Tensor& dy) -> Tape::Gradients {
                      return {Tensor(), sum_to(masked_fill(dy, condition, 0), p),
                              sum_to(masked_fill(dy, otherwise, 0), q)};
                  });
}

Tensor where(const Tensor& condition, const Tensor& a, double b) {
    return where(condition, a, Tensor::full({}, in_range("where", b), condition.device()));
}

Tensor where(const Tensor& condition, double a, const Tensor& b) {
    return where(condition, Tensor::full({}, in_range("where", a), condition.device()), b);
}

}  // namespace glassbox
