// An op of one's own, with its pullback. Each case is compiled by itself: see check.
#include <glassbox/glassbox.h>

using namespace glassbox;

#ifdef CASE_own_op
// compiles
Tensor mine(const Tensor& x) {
    const Tensor y = exp(x);
    return record("mine", y, {&x}, [y](const Tensor& dy) -> Tape::Gradients { return dy * y; });
}
#endif

#ifdef CASE_own_op_of_one_input
// compiles
Tensor mine(const Tensor& x) {
    const Tensor y = exp(x);
    return record("mine", y.alias(y.shape(), y.strides()), {&x}, [y](const Tensor& dy) { return dy * y; });
}
#endif

#ifdef CASE_inputs_not_by_address
// error: SmallVector<const
Tensor mine(const Tensor& x, const Tensor& y) {
    return record("mine", y, {x}, [y](const Tensor& dy) -> Tape::Gradients { return dy * y; });
}
#endif

#ifdef CASE_pullback_of_two_arguments
// error: record: a pullback takes the gradient of the result: [..](const Tensor& dy)
Tensor mine(const Tensor& x) {
    const Tensor y = exp(x);
    return record("mine", y.alias(y.shape(), y.strides()), {&x},
                  [](const Tensor& y, const Tensor& dy) { return dy * y; });
}
#endif

#ifdef CASE_pullback_that_returns_a_number
// error: record: a pullback returns the gradients of the inputs, in their order, as Tape::Gradients, or of a
// single input as a Tensor
Tensor mine(const Tensor& x) {
    const Tensor y = exp(x);
    return record("mine", y.alias(y.shape(), y.strides()), {&x}, [](const Tensor& dy) { return dy.item(); });
}
#endif

#ifdef CASE_pullback_that_returns_nothing
// error: record: a pullback returns the gradients of the inputs, in their order, as Tape::Gradients, or of a
// single input as a Tensor
Tensor mine(const Tensor& x) {
    const Tensor y = exp(x);
    return record("mine", y.alias(y.shape(), y.strides()), {&x},
                  [y](const Tensor& dy) { Tensor dx = dy * y; });
}
#endif
