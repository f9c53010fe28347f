#pragma once
#include "../matrix.h"
#include "../vector.h"

// What lesson 02 taught: y = x Wᵀ + b, for each row of x. W has one row for each number of the result.
inline Matrix linear(const Matrix& x, const Matrix& W, const Vector& b) {
    Matrix y(x.rows(), W.rows());
    for (int t = 0; t < x.rows(); ++t)
        for (int o = 0; o < W.rows(); ++o) {
            y(t, o) = b(o);
            for (int c = 0; c < x.columns(); ++c) y(t, o) += x(t, c) * W(o, c);
        }
    return y;
}
