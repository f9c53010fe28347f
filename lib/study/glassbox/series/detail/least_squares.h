#pragma once
#include <cstddef>
#include <vector>

namespace glassbox::detail {

// A plain matrix of doubles, for sums that float would round too much.
struct Matrix {
    std::size_t rows = 0, columns = 0;
    std::vector<double> values{};  // row-major

    double& at(std::size_t row, std::size_t column) { return values[row * columns + column]; }
    double at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
    template <class Number>
    void append(const Number* row) {
        values.insert(values.end(), row, row + columns);
        ++rows;
    }
    std::vector<double> subtract_mean();  // of each column; returns the means
};

Matrix product(const Matrix& A, const Matrix& B, bool transposes_b = false);  // A B, or A Bᵀ
Matrix product_of_columns(const Matrix& A, const Matrix& B);                  // Aᵀ B

// (G + λ I)⁻¹ C for a symmetric, positive semidefinite G, by Cholesky. A G + λ I that is singular within
// rounding gets a λ of at least 1e-10 of its largest diagonal element.
Matrix ridge(Matrix G, Matrix C, double lambda);

}  // namespace glassbox::detail
