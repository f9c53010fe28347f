#include <glassbox/layers/linear.h>

namespace glassbox {

Linear Linear::zeros(index_t in, index_t out, bool has_bias) {
    return {Tensor::zeros({out, in}), has_bias ? Tensor::zeros({out}) : Tensor()};
}

}  // namespace glassbox
