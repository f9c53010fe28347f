#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "matrix.h"

// A row of numbers, as exercises use it: v(i) is number i, counted from 0.
//     Vector v(3);   3 numbers, all 0
//     v(2) = 5;
class Vector {
  public:
    Vector() = default;  // no numbers
    explicit Vector(int size) {
        if (size < 0) throw std::out_of_range("a Vector cannot have " + std::to_string(size) + " numbers");
        numbers_.resize(static_cast<std::size_t>(size));
    }

    int size() const { return static_cast<int>(numbers_.size()); }

    double& operator()(int i) { return numbers_[place(i)]; }
    double operator()(int i) const { return numbers_[place(i)]; }

  private:
    std::size_t place(int i) const {
        if (numbers_.empty())
            throw HasNoSize("number " + std::to_string(i) +
                            " of a Vector that has no size yet: Vector(numbers) gives it one");
        if (i < 0 || i >= size())
            throw std::out_of_range("number " + std::to_string(i) + " of a Vector with " +
                                    std::to_string(size()) + " numbers");
        return static_cast<std::size_t>(i);
    }

    std::vector<double> numbers_;
};
