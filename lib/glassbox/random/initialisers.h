#pragma once
#include <glassbox/random/stream.h>

namespace glassbox {

// First values of weights, equal to what the framework of the stream gives from the same seed. fan_in and
// fan_out are the numbers of inputs and outputs of the layer; shapes are (out, in) in PyTorch and (in, out)
// in JAX, and their row-major numbers are drawn in that order. Fans below 1 throw Error.

// torch.nn.init.xavier_uniform_, flax.linen.initializers.xavier_uniform: U(±√(6 / (fan_in + fan_out)))
// (Glorot and Bengio 2010).
Tensor xavier_uniform(Stream& stream, const Shape& shape, index_t fan_in, index_t fan_out);

// torch.nn.Linear's weight (kaiming_uniform_ with a = √5) and bias alike: U(±1/√fan_in).
Tensor linear_uniform(Stream& stream, const Shape& shape, index_t fan_in);

// flax.linen.Dense's kernel, lecun_normal: normals cut off at ±2, of variance 1/fan_in after the cut. PyTorch
// and NumPy have no such initialiser: there it is the same function of their uniforms.
Tensor lecun_normal(Stream& stream, const Shape& shape, index_t fan_in);

}  // namespace glassbox
