// Lesson 04: the computation that the exercise is.
#include "../support/check.h"

#include <glassbox/layers/encoder_block.h>

#include "../support/arrays.h"
#include "../support/library.h"
#include "lesson.h"

namespace lesson {
namespace {

class EncoderBlockCheck : public Check {
  public:
    glassbox::Computation computation(const Tensors& golden) const override {
        const Tensor& x = golden.at("x");
        const auto sizes = block_choices(golden, x.size(-1), golden.at("linear_net.0.bias").numel());
        const auto encode =
            with_weights(glassbox::EncoderBlock(golden_convention().encoder_block(sizes)), golden);
        return {[=] { (void)(*encode)(x); }, result_of(golden, "norm2", "residual2"),
                [=] { return glassbox::parameters_of(*encode); }};
    }
};

}  // namespace

const Check& the_check() {
    static const EncoderBlockCheck check;
    return check;
}

}  // namespace lesson
