#include <glassbox/series/detail/least_squares.h>

#include <algorithm>
#include <cmath>

namespace glassbox::detail {

std::vector<double> Matrix::subtract_mean() {
    std::vector<double> mean(columns, 0);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) mean[j] += at(i, j) / static_cast<double>(rows);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) at(i, j) -= mean[j];
    return mean;
}

Matrix product(const Matrix& A, const Matrix& B, bool transposes_b) {
    const std::size_t n = transposes_b ? B.rows : B.columns;
    Matrix C{A.rows, n, std::vector<double>(A.rows * n, 0)};
    for (std::size_t i = 0; i < A.rows; ++i)
        for (std::size_t k = 0; k < A.columns; ++k) {
            const double a = A.at(i, k);
            for (std::size_t j = 0; j < n; ++j) C.at(i, j) += a * (transposes_b ? B.at(j, k) : B.at(k, j));
        }
    return C;
}

Matrix product_of_columns(const Matrix& A, const Matrix& B) {
    Matrix C{A.columns, B.columns, std::vector<double>(A.columns * B.columns, 0)};
    for (std::size_t row = 0; row < A.rows; ++row)
        for (std::size_t i = 0; i < A.columns; ++i) {
            const double a = A.at(row, i);
            for (std::size_t j = 0; j < B.columns; ++j) C.at(i, j) += a * B.at(row, j);
        }
    return C;
}

// G + λ I = R Rᵀ,  R Y = C,  Rᵀ X = Y
Matrix ridge(Matrix G, Matrix C, double lambda) {
    const std::size_t n = G.rows;
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, G.at(i, i));
    lambda = std::max(lambda, largest > 0 ? 1e-10 * largest : 1);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double rest = G.at(i, j) + (i == j ? lambda : 0);
            for (std::size_t k = 0; k < j; ++k) rest -= G.at(i, k) * G.at(j, k);
            G.at(i, j) = i == j ? std::sqrt(rest) : rest / G.at(j, j);
        }
    const auto subtract = [&C](std::size_t row, double factor, std::size_t other) {
        for (std::size_t h = 0; h < C.columns; ++h) C.at(row, h) -= factor * C.at(other, h);
    };
    const auto divide = [&C](std::size_t row, double divisor) {
        for (std::size_t h = 0; h < C.columns; ++h) C.at(row, h) /= divisor;
    };
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) subtract(i, G.at(i, k), k);
        divide(i, G.at(i, i));
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) subtract(i, G.at(k, i), k);
        divide(i, G.at(i, i));
    }
    return C;
}

}  // namespace glassbox::detail
