#pragma once
#include <glassbox/layers/linear.h>
#include <glassbox/random/stream.h>

namespace glassbox {

// The default initialisation of a linear layer: that of torch.nn.Linear, or of flax.linen.Dense.
enum class Init { torch, flax };

// U(±1/√in) for weight and bias (torch.nn.Linear), or LeCun normal weights and a bias of 0
// (flax.linen.Dense).
Linear make_linear(Stream& stream, index_t in, index_t out, Init init, bool bias = true);

// Xavier uniform weights and a bias of 0: the initialisation of attention's projections. With Init::torch the
// source re-initialises a torch.nn.Linear; the caller draws and discards the numbers of the first
// initialisation.
Linear xavier_linear(Stream& stream, index_t in, index_t out, Init init, bool bias = true);

}  // namespace glassbox
