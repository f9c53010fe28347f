// Lesson 02: the computation that the exercise is.
#include "../support/check.h"

#include <glassbox/layers/multi_head_attention.h>

#include "../support/arrays.h"
#include "../support/library.h"
#include "lesson.h"

namespace lesson {
namespace {

class MultiHeadCheck : public Check {
  public:
    glassbox::Computation computation(const Tensors& golden) const override {
        glassbox::MultiHeadChoices sizes;
        sizes.d_in = golden.at("x").size(-1);
        sizes.d_model = golden.at("o_proj.weight").size(-1);
        sizes.heads = number_of(golden.at("heads"));
        const auto attend =
            with_weights(glassbox::MultiHeadAttention(golden_convention().config(sizes)), golden);
        const glassbox::Mask mask = glassbox::Mask::given(golden.at("mask"));
        return {[=, x = golden.at("x")] { (void)(*attend)(x, mask); }, "output"};
    }
};

}  // namespace

const Check& the_check() {
    static const MultiHeadCheck check;
    return check;
}

}  // namespace lesson
