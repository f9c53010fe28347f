// Lesson 09: how the exercise is called.
#include "../support/call.h"

#include <glassbox/tensor/format.h>

#include "lesson.h"

namespace lesson {
namespace {

AnomalyWeights weights_of(const Tensors& golden) {
    AnomalyWeights w{matrix_of(golden.at("input_net.1.weight")),
                     vector_of(golden.at("input_net.1.bias")),
                     {},
                     matrix_of(golden.at("output_net.weight")),
                     vector_of(golden.at("output_net.bias"))};
    const auto path = [&] { return fmt::format("transformer.layers.{}.", w.encoder.size()); };
    while (golden.count(path() + "norm1.weight"))
        w.encoder.push_back(encoder_block_weights_of(golden, path()));
    return w;
}

}  // namespace

Answer call_exercise(const Exercise& exercise, const Tensors& golden) {
    auto* find = exercise.function<decltype(find_anomaly)>("find_anomaly");
    auto* reorder = exercise.function<decltype(permute)>("permute");
    const AnomalyWeights w = weights_of(golden);
    const Matrices x = matrices_of(golden.at("x"));
    const Matrix classes = matrix_of(golden.at("classes"));
    const Vector order = vector_of(golden.at("order"));
    return run_once<Steps>(
        golden,
        [&](Steps& steps) {
            find(x, classes, w, steps);
            if (steps.found.size() > 0) reorder(x, order, w, steps);
        },
        [](Collected& all, const Steps& steps) {
            all.add("labels", steps.labels), all.add("encoded", steps.encoded);
            all.add("logits", steps.logits), all.add("scores", steps.scores);
            all.add("probabilities", steps.probabilities), all.add("losses", steps.losses);
            all.add("loss", steps.loss), all.add("found", steps.found);
            all.add("permuted/x", steps.permuted.x), all.add("permuted/labels", steps.permuted.labels);
            all.add("permuted/scores", steps.permuted.scores);
        });
}

}  // namespace lesson
