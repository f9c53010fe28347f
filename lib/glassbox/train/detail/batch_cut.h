#pragma once
#include <glassbox/train/examples.h>

namespace glassbox {

// How a batch is cut, so that a gradient has the same bits on any number of threads and ranks.
//     piece   some neighbouring examples, scored together with a tape of their own: what others call a
//             micro-batch. On the CPU some 256 positions, so that what is computed fits into the cache.
//     lane    a run of neighbouring pieces, whose gradients are added one after the other into one block.
// The blocks are then added in the lanes' order. How many there are follows from the batch and the model
// alone; who computes which lane does not matter.
struct BatchCut {
    index_t pieces, lanes;
};

// parameters: how many numbers a gradient has. lanes: how many another device than the CPU is to have; fewer
// when the batch has not so many examples. There a lane is one piece, or a few where it is too long for one.
BatchCut cut_of(const Examples& batch, index_t parameters, Device device = Device::cpu, index_t lanes = 1);

// The examples of one piece: views, nothing is copied.
Examples piece_of(const Examples& batch, index_t piece, index_t pieces);

}  // namespace glassbox
