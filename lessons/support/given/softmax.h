#pragma once
#include <algorithm>
#include <cmath>

#include "../matrix.h"

// What lesson 01 taught: each row on its own becomes weights that sum to 1. The row's largest number is
// subtracted first, so that exp is at most 1.
inline Matrix softmax(const Matrix& scores) {
    Matrix weights(scores.rows(), scores.columns());
    for (int i = 0; i < scores.rows(); ++i) {
        double largest = scores(i, 0), total = 0;
        for (int j = 1; j < scores.columns(); ++j) largest = std::max(largest, scores(i, j));
        for (int j = 0; j < scores.columns(); ++j) total += std::exp(scores(i, j) - largest);
        for (int j = 0; j < scores.columns(); ++j) weights(i, j) = std::exp(scores(i, j) - largest) / total;
    }
    return weights;
}
