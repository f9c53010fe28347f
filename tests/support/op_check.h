#pragma once
#include <string>
#include <vector>

#include "support/gradient_check.h"
#include "support/random.h"

namespace glassbox_test {

struct OpCheck {
    Tolerance forward = rounding;
    Tolerance backward = chain;
    Tolerance traced = exact.with_nan();        // a trace may take another path to the same values
    Tolerance taped = exact.with_nan();         // so may a tape, if a layer is fused without it
    std::vector<std::size_t> without_gradient;  // inputs such as masks
    bool finite_differences = true;             // false at kinks and infinities
};

// Checks an op, or a function of ops, on one device:
// - its values match the oracle's, for contiguous inputs and for strided ones with gaps;
// - untraced, traced, taped, and traced and taped runs give the same bits, or agree within `traced`;
// - the tape's gradients match the oracle's, are on the device, and agree with finite differences.
// `inputs` are on the cpu.
void check_op(glassbox::Device device, Random& random, const std::string& path, const Function& op,
              const std::vector<glassbox::Tensor>& inputs, const OpCheck& check = {});

}  // namespace glassbox_test
