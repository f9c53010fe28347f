#include <glassbox/ops/ops.h>

#include <glassbox/observe/record.h>

namespace glassbox {

// L = (y − t)²       ∂/∂y = 2 (y − t) · ∂/∂L,  ∂/∂t = −∂/∂y
Tensor squared_error(const Tensor& y, const Tensor& target) {
    common_device("squared_error", y, target);
    if (y.shape() != target.shape())
        fail("squared_error: y and target differ in shape: {} and {}", y.shape(), target.shape());
    const Tensor difference = y - target;
    return difference * difference;
}

}  // namespace glassbox
