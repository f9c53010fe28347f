#pragma once
#include <optional>
#include <string>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Beyond this a real does not tell one whole number from the next.
inline constexpr index_t most_whole = sizeof(real) == 4 ? index_t{1} << 24 : index_t{1} << 53;

// For ops whose operand holds whole numbers (labels, ids of rows): the first, in row-major order, that is
// none, or is not in [least, most]; nothing when all are. While kernels are recorded none is looked at: the
// first step, which runs, has looked.
struct NotWhole {
    real value;
    std::string place;  // "(1, 3)"
};
std::optional<NotWhole> first_not_whole(const Tensor& x, index_t least, index_t most);

}  // namespace glassbox
