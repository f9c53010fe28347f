// Lesson 03: how the exercise is called, and the computation that it is.
#include "../support/check.h"

#include <glassbox/layers/positional_encoding.h>
#include <glassbox/observe/trace.h>

#include "../support/arrays.h"
#include "lesson.h"

namespace lesson {
namespace {

class PositionalCheck : public Check {
  public:
    Answer run(const Exercise& exercise, const Tensors& golden) const override {
        auto* encode = exercise.function<decltype(positional_encoding)>("positional_encoding");
        const Tensor& x = golden.at("x");
        return run_each<Steps>(
            matrices_in(x), golden,
            [&](index_t i, Steps& steps) { encode(matrix_of(x, i), number_of(golden.at("shift")), steps); },
            [](Collected& all, const Steps& steps) {
                all.add("encoding", steps.encoding);
                all.add("output", steps.output);
                all.add("M", steps.M);
            });
    }

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
