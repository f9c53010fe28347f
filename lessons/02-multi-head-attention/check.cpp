// Lesson 02: how the exercise is called, and the computation that it is.
#include "../support/check.h"

#include <glassbox/layers/multi_head_attention.h>

#include "../support/arrays.h"
#include "../support/library.h"
#include "lesson.h"

namespace lesson {
namespace {

class MultiHeadCheck : public Check {
  public:
    Answer run(const Exercise& exercise, const Tensors& golden) const override {
        auto* attend = exercise.function<decltype(multi_head_attention)>("multi_head_attention");
        const Tensor &x = golden.at("x"), &mask = golden.at("mask");
        const AttentionWeights w = attention_weights_of(golden);
        return run_each<Steps>(
            matrices_in(x), golden,
            [&](index_t i, Steps& steps) { attend(matrix_of(x, i), w, matrix_of(mask, i), steps); },
            [](Collected& all, const Steps& steps) {
                all.add("qkv", steps.qkv);
                all.add("Q", steps.Q), all.add("K", steps.K), all.add("V", steps.V);
                all.add("logits", steps.logits), all.add("scaled", steps.scaled);
                all.add("masked", steps.masked), all.add("attention", steps.attention);
                all.add("values", steps.values), all.add("concat", steps.concat);
                all.add("output", steps.output);
            });
    }

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
