#pragma once
#include <vector>

#include <glassbox/backend/cpu/gemm.h>

#include "support/random.h"

namespace glassbox_test {

// rows × cols, as stored or as the transpose of what is stored, with `gap` numbers between lines.
struct Operand {
    using index_t = glassbox::index_t;
    std::vector<glassbox::real> numbers;
    glassbox::Matrix matrix;

    Operand(Random& random, index_t rows, index_t cols, bool transposed, index_t gap) {
        const index_t lines = transposed ? cols : rows, step = (transposed ? rows : cols) + gap;
        numbers = random.normal({lines * step}).values();
        matrix = transposed ? glassbox::Matrix{numbers.data(), 1, step}
                            : glassbox::Matrix{numbers.data(), step, 1};
    }
    Operand(Random& random, index_t rows, index_t cols, bool transposed)
        : Operand(random, rows, cols, transposed, random.whole(0, 3)) {}

    double at(index_t i, index_t j) const {
        return static_cast<double>(matrix.data[i * matrix.row + j * matrix.col]);
    }
};

}  // namespace glassbox_test
