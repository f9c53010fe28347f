// Lesson 08: how the exercise is called.
#include "../support/call.h"

#include "lesson.h"

namespace lesson {
namespace {

WholeWeights weights_of(const Tensors& golden) {
    return {encoder_block_weights_of(golden, "transformer.layers.0."), vector_of(golden.at("cls_token")),
            matrix_of(golden.at("output_net.weight")), vector_of(golden.at("output_net.bias"))};
}

}  // namespace

Answer call_exercise(const Exercise& exercise, const Tensors& golden) {
    auto* elements = exercise.function<decltype(aggregate)>("aggregate");
    auto* token = exercise.function<decltype(aggregate_by_token)>("aggregate_by_token");
    const WholeWeights w = weights_of(golden);
    const Matrices x = matrices_of(golden.at("x"));
    const Vector lengths = vector_of(golden.at("lengths"));
    return run_once<Steps>(
        golden,
        [&](Steps& steps) {
            elements(x, lengths, w, steps);
            if (steps.max.logits.rows() > 0) token(x, lengths, w, steps);
        },
        [](Collected& all, const Steps& steps) {
            all.add("real", steps.real), all.add("encoder/0/norm2", steps.encoded);
            all.add("mean/pooled", steps.mean.pooled), all.add("mean/logits", steps.mean.logits);
            all.add("max/pooled", steps.max.pooled), all.add("max/logits", steps.max.logits);
            all.add("cls/cls", steps.cls.input), all.add("cls/real", steps.cls.real);
            all.add("cls/encoder/0/norm2", steps.cls.encoded);
            all.add("cls/pooled", steps.cls.pooled), all.add("cls/logits", steps.cls.logits);
        });
}

}  // namespace lesson
