#pragma once
#include <glassbox/layers/linear.h>
#include <glassbox/random/stream.h>

namespace glassbox {

// The first values of a linear layer: torch.nn.Linear's own, or flax.linen.Dense's.
enum class Init { torch, flax };

// With the first values that the framework gives: U(±1/√in) for weight and bias (torch.nn.Linear), or LeCun
// normals and a bias of 0 (flax.linen.Dense).
Linear make_linear(Stream& stream, index_t in, index_t out, Init init, bool bias = true);

// Xavier uniform and a bias of 0, as attention's projections begin. With Init::torch the numbers are those of
// a torch.nn.Linear that is initialised again: its first ones are drawn and thrown away by whoever makes it.
Linear xavier_linear(Stream& stream, index_t in, index_t out, Init init, bool bias = true);

}  // namespace glassbox
