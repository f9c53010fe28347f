// error: record: a pullback takes the gradient of the result: [..](const Tensor& dy)
#include <glassbox/glassbox.h>

using namespace glassbox;

Tensor mine(const Tensor& x) {
    const Tensor y = exp(x);
    return record("mine", y.alias(y.shape(), y.strides()), {&x},
                  [](const Tensor& y, const Tensor& dy) { return dy * y; });
}
