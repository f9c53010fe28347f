// Lesson 04: how the exercise is called.
#include "../support/call.h"

#include "../support/arrays.h"
#include "lesson.h"

namespace lesson {
namespace {

Weights weights_of(const Tensors& golden) {
    const auto matrix = [&](const char* name) { return matrix_of(golden.at(name)); };
    const auto vector = [&](const char* name) { return vector_of(golden.at(name)); };
    return {attention_weights_of(golden, "self_attn."),
            matrix("linear_net.0.weight"),
            vector("linear_net.0.bias"),
            matrix("linear_net.3.weight"),
            vector("linear_net.3.bias"),
            vector("norm1.weight"),
            vector("norm1.bias"),
            vector("norm2.weight"),
            vector("norm2.bias"),
            static_cast<double>(golden.at("epsilon").item())};
}

}  // namespace

Answer call_exercise(const Exercise& exercise, const Tensors& golden) {
    auto* encode = exercise.function<decltype(encoder_block)>("encoder_block");
    const Tensor& x = golden.at("x");
    const Weights w = weights_of(golden);
    return run_each<Steps>(
        matrices_in(x), golden, [&](index_t i, Steps& steps) { encode(matrix_of(x, i), w, steps); },
        [](Collected& all, const Steps& steps) {
            all.add("self_attn/output", steps.self_attn.output);
            all.add("residual1", steps.residual1), all.add("norm1", steps.norm1);
            all.add("mlp/hidden", steps.mlp.hidden), all.add("mlp/relu", steps.mlp.relu);
            all.add("mlp/output", steps.mlp.output);
            all.add("residual2", steps.residual2), all.add("norm2", steps.norm2);
        });
}

}  // namespace lesson
