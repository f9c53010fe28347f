// error: record: a pullback returns the gradients of the inputs, in their order, as Tape::Gradients, or of a
// single input as a Tensor
#include <glassbox/glassbox.h>

using namespace glassbox;

Tensor mine(const Tensor& x) {
    const Tensor y = exp(x);
    return record("mine", y.alias(y.shape(), y.strides()), {&x}, [](const Tensor& dy) { return dy.item(); });
}
