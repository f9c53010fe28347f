#pragma once
#include <algorithm>

#include "../block_weights.h"
#include "linear.h"

// What lesson 04 taught: two linear layers with a ReLU between them, for each row on its own.
inline Matrix feed_forward(const Matrix& x, const FeedForwardWeights& w) {
    Matrix hidden = linear(x, w.W_1, w.b_1);
    for (int t = 0; t < hidden.rows(); ++t)
        for (int c = 0; c < hidden.columns(); ++c) hidden(t, c) = std::max(hidden(t, c), 0.0);
    return linear(hidden, w.W_2, w.b_2);
}
