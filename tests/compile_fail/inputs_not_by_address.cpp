// error: SmallVector<const
#include <glassbox/glassbox.h>

using namespace glassbox;

Tensor mine(const Tensor& x, const Tensor& y) {
    return record("mine", y, {x}, [y](const Tensor& dy) -> Tape::Gradients { return dy * y; });
}
