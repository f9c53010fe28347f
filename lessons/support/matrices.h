#pragma once
#include "matrix.h"

// Several tables of one size, such as one for each head: Q[h](t, c), all counted from 0.
//     Matrices Q(3, 5, 4);   3 tables of 5 rows and 4 columns, all 0
//     Q[2](0, 1) = 5;
class Matrices {
  public:
    Matrices() = default;  // none
    Matrices(int count, int rows, int columns) {
        if (count < 0) throw std::out_of_range("there cannot be " + std::to_string(count) + " matrices");
        matrices_.assign(static_cast<std::size_t>(count), Matrix(rows, columns));
    }

    int count() const { return static_cast<int>(matrices_.size()); }

    Matrix& operator[](int i) { return matrices_[place(i)]; }
    const Matrix& operator[](int i) const { return matrices_[place(i)]; }

  private:
    std::size_t place(int i) const {
        if (matrices_.empty())
            throw HasNoSize(
                "matrix " + std::to_string(i) +
                " of Matrices that have no size yet: Matrices(count, rows, columns) gives them one");
        if (i < 0 || i >= count())
            throw std::out_of_range("matrix " + std::to_string(i) + " of " + std::to_string(count()));
        return static_cast<std::size_t>(i);
    }

    std::vector<Matrix> matrices_;
};
