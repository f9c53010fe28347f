// Lesson 01: how the exercise is called, and the computation that it is.
#include "../support/check.h"

#include <glassbox/layers/scaled_dot_product.h>

#include "../support/arrays.h"
#include "lesson.h"

namespace lesson {
namespace {

class AttentionCheck : public Check {
  public:
    Answer run(const Exercise& exercise, const Tensors& golden) const override {
        auto* attend = exercise.function<decltype(scaled_dot_product)>("scaled_dot_product");
        const Tensor &Q = golden.at("Q"), &K = golden.at("K"), &V = golden.at("V"), &mask = golden.at("mask");
        return run_each<Steps>(
            matrices_in(Q), golden,
            [&](index_t i, Steps& steps) {
                attend(matrix_of(Q, i), matrix_of(K, i), matrix_of(V, i), matrix_of(mask, i), steps);
            },
            [](Collected& all, const Steps& steps) {
                all.add("logits", steps.logits);
                all.add("scaled", steps.scaled);
                all.add("masked", steps.masked);
                all.add("attention", steps.attention);
                all.add("values", steps.values);
            });
    }

    glassbox::Computation computation(const Tensors& golden) const override {
        const glassbox::Mask mask = glassbox::Mask::given(golden.at("mask"));
        return {[=, Q = golden.at("Q"), K = golden.at("K"), V = golden.at("V")] {
                    (void)glassbox::scaled_dot_product(Q, K, V, mask);
                },
                "values"};
    }
};

}  // namespace

const Check& the_check() {
    static const AttentionCheck check;
    return check;
}

}  // namespace lesson
