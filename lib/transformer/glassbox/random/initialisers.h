#pragma once
#include <glassbox/random/stream.h>

namespace glassbox {

// Initial weights, equal to those of the stream's framework for the same seed. fan_in and fan_out are the
// layer's numbers of inputs and outputs; shapes are (out, in) in PyTorch and (in, out) in JAX, filled in
// row-major order. Fans below 1 throw Error.

// torch.nn.init.xavier_uniform_, flax.linen.initializers.xavier_uniform: U(±√(6 / (fan_in + fan_out)))
// (Glorot and Bengio 2010).
Tensor xavier_uniform(Stream& stream, const Shape& shape, index_t fan_in, index_t fan_out);

// torch.nn.Linear's weight (kaiming_uniform_ with a = √5) and its bias: U(±1/√fan_in).
Tensor linear_uniform(Stream& stream, const Shape& shape, index_t fan_in);

// flax.linen.Dense's kernel, lecun_normal: normals truncated at ±2, scaled to variance 1/fan_in. PyTorch and
// NumPy have no such initialiser: for them it is the same function of their uniforms.
Tensor lecun_normal(Stream& stream, const Shape& shape, index_t fan_in);

}  // namespace glassbox
