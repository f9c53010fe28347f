#pragma once
#include "matrix.h"
#include "vector.h"

// The parameters of multi-head attention, as PyTorch lays them out: one row of W for each number of the
// result. d_h = d_model / heads is the width of one head.
struct AttentionWeights {
    int heads = 0;
    Matrix W_qkv;  // (3·d_model, width of x)  rows: head 0's q, k, v, then head 1's q, k, v, … of d_h each
    Vector b_qkv;  // (3·d_model)
    Matrix W_O;    // (d_model, d_model)
    Vector b_O;    // (d_model)
};
