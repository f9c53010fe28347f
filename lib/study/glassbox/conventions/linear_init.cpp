#include <glassbox/conventions/convention.h>

#include <glassbox/ops/ops.h>
#include <glassbox/random/stream.h>

namespace glassbox {

Linear make_linear(Stream& stream, index_t in, index_t out, Init init, bool bias) {
    Linear layer;
    if (init == Init::torch) {
        layer.weight = linear_uniform(stream, {out, in}, in);
        if (bias) layer.bias = linear_uniform(stream, {out}, in);
        return layer;
    }
    layer.weight = contiguous(transpose(lecun_normal(stream, {in, out}, in)));  // Flax stores (in, out)
    if (bias) layer.bias = Tensor::zeros({out});
    return layer;
}

Linear xavier_linear(Stream& stream, index_t in, index_t out, Init init, bool bias) {
    Linear layer;
    layer.weight = init == Init::torch ? xavier_uniform(stream, {out, in}, in, out)
                                       : contiguous(transpose(xavier_uniform(stream, {in, out}, in, out)));
    if (bias) layer.bias = Tensor::zeros({out});
    return layer;
}

}  // namespace glassbox
