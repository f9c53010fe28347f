// Lesson 03: the computation that the exercise is.
#include "../support/check.h"

#include <glassbox/layers/positional_encoding.h>
#include <glassbox/observe/trace.h>

#include "../support/arrays.h"
#include "lesson.h"

namespace lesson {
namespace {

class PositionalCheck : public Check {
  public:
    glassbox::Computation computation(const Tensors& golden) const override {
        const index_t d_model = golden.at("x").size(-1), shift = number_of(golden.at("shift"));
        const glassbox::PositionalEncoding encode(d_model);
        return {[=, x = golden.at("x")] {
                    (void)encode(x);
                    (void)named(glassbox::steps::shifted_encoding::M, glassbox::shift_matrix(shift, d_model));
                },
                "M"};
    }
};

}  // namespace

const Check& the_check() {
    static const PositionalCheck check;
    return check;
}

}  // namespace lesson
