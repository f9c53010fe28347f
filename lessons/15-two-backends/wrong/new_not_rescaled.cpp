// Lesson 15, a wrong solution: the block's sum is added as it is, also where the maximum stands elsewhere.
// hint: merged/s/new-not-rescaled
#include "lesson.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

constexpr double hidden = -std::numeric_limits<double>::infinity();

// A sum that was made with the maximum m, for another one. Nothing seen stays nothing: exp(−∞ + ∞) would be
// NaN.
double rescaled(double s, double m, double largest) { return m == hidden ? 0 : s * std::exp(m - largest); }

}  // namespace

void online_softmax(const Matrix& x, int size, Steps& steps) {
    const int n = x.columns(), B = (n + size - 1) / size;
    steps.block.m = steps.block.s = Matrix(x.rows(), B);
    steps.merged.m = steps.merged.s = Matrix(x.rows(), B);
    steps.softmax = Matrix(x.rows(), n);
    for (int i = 0; i < x.rows(); ++i) {
        double m = hidden, s = 0;  // of what has been seen
        for (int b = 0; b < B; ++b) {
            const int first = b * size, last = std::min(first + size, n);

            double m_b = hidden, s_b = 0;
            for (int j = first; j < last; ++j) m_b = std::max(m_b, x(i, j));
            for (int j = first; j < last; ++j)
                if (x(i, j) != hidden) s_b += std::exp(x(i, j) - m_b);
            steps.block.m(i, b) = m_b;
            steps.block.s(i, b) = s_b;

            const double largest = std::max(m, m_b);
            s = rescaled(s, m, largest) + s_b;
            m = largest;
            steps.merged.m(i, b) = m;
            steps.merged.s(i, b) = s;
        }
        for (int j = 0; j < n; ++j) steps.softmax(i, j) = std::exp(x(i, j) - m) / s;
    }
}
