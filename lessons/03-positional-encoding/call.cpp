// Lesson 03: how the exercise is called.
#include "../support/call.h"

#include "../support/arrays.h"
#include "lesson.h"

namespace lesson {

Answer call_exercise(const Exercise& exercise, const Tensors& golden) {
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

}  // namespace lesson
