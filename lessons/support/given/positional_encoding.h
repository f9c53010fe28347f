#pragma once
#include <cmath>

#include "../matrix.h"

// What lesson 03 taught: the encoding of positions 0 … T − 1, sine and cosine in turn. It is still to be
// added to something.
inline Matrix positional_encoding(int T, int d_model) {
    Matrix encoding(T, d_model);
    for (int t = 0; t < T; ++t)
        for (int c = 0; c < d_model; ++c) {
            const double angle = t / std::pow(10000.0, 2.0 * (c / 2) / d_model);
            encoding(t, c) = c % 2 == 0 ? std::sin(angle) : std::cos(angle);
        }
    return encoding;
}
