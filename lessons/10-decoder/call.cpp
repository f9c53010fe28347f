// Lesson 10: how the exercise is called.
#include "../support/call.h"

#include "../support/arrays.h"
#include "lesson.h"

namespace lesson {

Answer call_exercise(const Exercise& exercise, const Tensors& golden) {
    auto* block = exercise.function<decltype(decoder_block)>("decoder_block");
    const Matrix x = matrix_of(golden.at("x")), memory = matrix_of(golden.at("memory")),
                 memory_mask = matrix_of(golden.at("memory_mask"));
    const DecoderBlockWeights w = decoder_block_weights_of(golden);
    return run_each<Steps>(
        1, golden, [&](index_t, Steps& steps) { block(x, memory, memory_mask, w, steps); },
        [](Collected& all, const Steps& steps) {
            all.add("mask", steps.mask);
            all.add("self_attn/output", steps.self_attn.output);
            all.add("residual1", steps.residual1), all.add("norm1", steps.norm1);
            all.add("cross_attn/output", steps.cross_attn.output);
            all.add("residual2", steps.residual2), all.add("norm2", steps.norm2);
            all.add("mlp/output", steps.mlp.output);
            all.add("residual3", steps.residual3), all.add("norm3", steps.norm3);
        });
}

}  // namespace lesson
