// compiles
#include <glassbox/glassbox.h>

using namespace glassbox;

Tensor mine(const Tensor& x) {
    const Tensor y = exp(x);
    return record("mine", y.alias(y.shape(), y.strides()), {&x}, [y](const Tensor& dy) { return dy * y; });
}
