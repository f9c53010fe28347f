#pragma once
#include <string>
#include <vector>

#include "support/gradient_check.h"
#include "support/random.h"

namespace glassbox_test {

struct OpCheck {
    Tolerance forward = rounding;
    Tolerance backward = chain;
    Tolerance traced = exact.with_nan();        // a trace may choose another way to the same numbers
    Tolerance taped = exact.with_nan();         // so may a tape, where a layer is one kernel without it
    std::vector<std::size_t> without_gradient;  // inputs such as masks
    bool finite_differences = true;             // false at kinks, and where infinities are
};

// All that is asked of any op, or function of ops, on one device:
// - the values are the oracle's, for gapless inputs and for ones scattered over a larger storage;
// - plain, traced, taped and both at once give the same bits, or the same within `traced`;
// - the tape's gradients are the oracle's, have the inputs' shapes and device, and agree with finite
// differences. Inputs are on the cpu.
void check_op(glassbox::Device device, Random& random, const std::string& path, const Function& op,
              const std::vector<glassbox::Tensor>& inputs, const OpCheck& check = {});

}  // namespace glassbox_test
