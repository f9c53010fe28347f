#pragma once
#include "../matrix.h"

// a + b, number by number.
inline Matrix add(const Matrix& a, const Matrix& b) {
    if (a.rows() != b.rows() || a.columns() != b.columns())
        throw std::out_of_range("add: (" + std::to_string(a.rows()) + ", " + std::to_string(a.columns()) +
                                ") + (" + std::to_string(b.rows()) + ", " + std::to_string(b.columns()) +
                                ")");
    Matrix sum = a;
    for (int t = 0; t < a.rows(); ++t)
        for (int c = 0; c < a.columns(); ++c) sum(t, c) += b(t, c);
    return sum;
}
