#pragma once
#include <glassbox/train/examples.h>

namespace glassbox::detail {

// How a batch is divided, so that the gradient has the same bits on any number of threads and ranks.
//     piece   a micro-batch: consecutive examples scored together on one tape. On the CPU it has about 256
//             positions, so that the activations fit into the cache.
//     lane    consecutive pieces, whose gradients accumulate one after the other in one block.
// The blocks are then added in lane order. Both numbers depend only on the batch and the model, and the
// result does not depend on which thread or rank computes a lane.
struct BatchCut {
    index_t pieces, lanes;
};

// parameters: the number of elements of a gradient. lanes: the number of lanes on devices other than the CPU,
// fewer if the batch has fewer examples. There a lane is one piece, or several if it would be too large.
BatchCut cut_of(const Examples& batch, index_t parameters, Device device = Device::cpu, index_t lanes = 1);

// The examples of one piece, as views.
Examples piece_of(const Examples& batch, index_t piece, index_t pieces);

}  // namespace glassbox::detail
