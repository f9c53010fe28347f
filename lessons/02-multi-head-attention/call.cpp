// Lesson 02: how the exercise is called.
#include "../support/call.h"

#include "../support/arrays.h"
#include "lesson.h"

namespace lesson {

Answer call_exercise(const Exercise& exercise, const Tensors& golden) {
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

}  // namespace lesson
