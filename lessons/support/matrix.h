#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

// Thrown where numbers are set or read before there is room for any.
class HasNoSize : public std::out_of_range {
  public:
    using std::out_of_range::out_of_range;
};

// A table of numbers, as exercises use it: M(i, j) is the number in row i, column j, both counted from 0.
//     Matrix M(2, 3);   2 rows, 3 columns, all 0
//     M(1, 2) = 5;
// The numbers are double, so that rounding does not matter.
class Matrix {
  public:
    Matrix() = default;  // no rows, no columns
    Matrix(int rows, int columns) : rows_(rows), columns_(columns) {
        if (rows < 0 || columns < 0)
            throw std::out_of_range("a Matrix cannot have " + std::to_string(rows) + " rows and " +
                                    std::to_string(columns) + " columns");
        numbers_.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    }

    int rows() const { return rows_; }
    int columns() const { return columns_; }

    double& operator()(int row, int column) { return numbers_[place(row, column)]; }
    double operator()(int row, int column) const { return numbers_[place(row, column)]; }

  private:
    std::size_t place(int row, int column) const {
        if (rows_ == 0 && columns_ == 0)
            throw HasNoSize("row " + std::to_string(row) + ", column " + std::to_string(column) +
                            " of a Matrix that has no size yet: Matrix(rows, columns) gives it one");
        if (row < 0 || row >= rows_ || column < 0 || column >= columns_)
            throw std::out_of_range("row " + std::to_string(row) + ", column " + std::to_string(column) +
                                    " of a Matrix with " + std::to_string(rows_) + " rows and " +
                                    std::to_string(columns_) + " columns");
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
               static_cast<std::size_t>(column);
    }

    int rows_ = 0, columns_ = 0;
    std::vector<double> numbers_;
};
