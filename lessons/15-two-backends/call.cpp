// Lesson 15: how the exercise is called.
#include "../support/call.h"

#include "../support/arrays.h"
#include "lesson.h"

namespace lesson {

Answer call_exercise(const Exercise& exercise, const Tensors& golden) {
    auto* soften = exercise.function<decltype(online_softmax)>("online_softmax");
    return run_each<Steps>(
        1, golden,
        [&](index_t, Steps& steps) {
            soften(matrix_of(golden.at("x")), number_of(golden.at("size")), steps);
        },
        [](Collected& all, const Steps& steps) {
            all.add("block/m", steps.block.m), all.add("block/s", steps.block.s);
            all.add("merged/m", steps.merged.m), all.add("merged/s", steps.merged.s);
            all.add("softmax", steps.softmax);
        });
}

}  // namespace lesson
