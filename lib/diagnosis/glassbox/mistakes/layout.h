#pragma once
#include <string>
#include <vector>

#include <glassbox/mistakes/precision.h>
#include <glassbox/tensor/shape.h>

namespace glassbox {

// Numbers in the order of axes that is expected.
struct Rearranged {
    Tensor value;
    std::vector<double> half_width;
    std::string how;  // "with its axes in the order (1, 0, 2)"; empty: as they were
};

// Whether they differ only by axes of 1.
bool is_same_but_for_ones(const Shape& a, const Shape& b);

// Every way to read numbers of some shape as the expected one, the most likely first: as they are, an axis of
// 1 more or less, axes in another order, heads side by side or on a separate axis, flattened row by row or
// column by column; or only what the submission's layout allows. Empty if none is possible.
std::vector<Rearranged> rearrangements(const SubmittedStep& submitted, const Shape& expected);

}  // namespace glassbox
