// Lesson 03, a wrong solution: 2 c / d_model, with the column's number for the pair's.
// hint: encoding/exponent-doubled
#include "lesson.h"

#include <cmath>

void positional_encoding(const Matrix& x, int shift, Steps& steps) {
    const int T = x.rows(), d_model = x.columns();

    // Radians from one position to the next, of columns 2i and 2i + 1: from 1 down to almost 1/10000.
    const auto frequency = [&](int i) { return std::pow(10000.0, -2.0 * i / d_model); };

    steps.encoding = Matrix(T, d_model);
    for (int t = 0; t < T; ++t)
        for (int c = 0; c < d_model; ++c) {
            const double angle = t * frequency(c);
            steps.encoding(t, c) = c % 2 == 0 ? std::sin(angle) : std::cos(angle);
        }

    steps.output = Matrix(T, d_model);
    for (int t = 0; t < T; ++t)
        for (int c = 0; c < d_model; ++c) steps.output(t, c) = x(t, c) + steps.encoding(t, c);

    steps.M = Matrices(d_model / 2, 2, 2);
    for (int i = 0; i < steps.M.count(); ++i) {
        const double angle = shift * frequency(i);
        steps.M[i](0, 0) = std::cos(angle);
        steps.M[i](0, 1) = std::sin(angle);
        steps.M[i](1, 0) = -std::sin(angle);
        steps.M[i](1, 1) = std::cos(angle);
    }
}
