#pragma once
#include "answer.h"
#include "arrays.h"
#include "exercise.h"

namespace lesson {

// Calls the student's functions on the inputs of one golden case: the lesson's own, in its call.cpp. This is
// linked into a program that runs where submissions do, which has no computation of the library in it.
Answer call_exercise(const Exercise& exercise, const Tensors& golden);

// For a lesson whose functions take a whole case at once: work(steps), then add(collected, steps).
template <class Steps, class Work, class Add>
Answer run_once(const Tensors& golden, Work work, Add add) {
    return run_each<Steps>(
        1, golden, [&](index_t, Steps& steps) { work(steps); }, add);
}

// The weights of a model with one encoder block between an input and an output network.
template <class Weights>
Weights model_weights_of(const Tensors& golden) {
    Weights w;
    w.W_in = matrix_of(golden.at("input_net.1.weight")), w.b_in = vector_of(golden.at("input_net.1.bias"));
    w.encoder = encoder_block_weights_of(golden, "transformer.layers.0.");
    w.W_1 = matrix_of(golden.at("output_net.0.weight")), w.b_1 = vector_of(golden.at("output_net.0.bias"));
    w.norm = norm_weights_of(golden, "output_net.1.");
    w.W_2 = matrix_of(golden.at("output_net.4.weight")), w.b_2 = vector_of(golden.at("output_net.4.bias"));
    return w;
}

}  // namespace lesson
