// compiles
#include <glassbox/glassbox.h>

using namespace glassbox;

index_t elements(const Tensor& x) {
    const Tensor y = exp(x);
    const ConstView view = y.view();
    const Shape shape = exp(x).shape();  // by value
    return view.shape.numel() + shape.numel() + (y.data() ? 1 : 0) + (y.id() == x.id() ? 1 : 0);
}
