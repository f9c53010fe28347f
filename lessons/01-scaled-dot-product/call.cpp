// Lesson 01: how the exercise is called.
#include "../support/call.h"

#include "../support/arrays.h"
#include "lesson.h"

namespace lesson {

Answer call_exercise(const Exercise& exercise, const Tensors& golden) {
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

}  // namespace lesson
