// Lesson 09: how the exercise is called, and the computation that it is.
#include "../support/check.h"

#include <glassbox/models/predictor.h>
#include <glassbox/observe/scope.h>
#include <glassbox/observe/trace.h>
#include <glassbox/tasks/set_anomaly.h>
#include <glassbox/tensor/format.h>
#include <glassbox/train/accuracy.h>
#include <glassbox/train/loss.h>

#include "../support/arrays.h"
#include "../support/blocks.h"
#include "../support/library.h"
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

// Without positions, and with one linear layer behind the encoder.
std::shared_ptr<glassbox::Predictor> model_of(const Tensors& golden) {
    const auto size = [&](const char* name, int axis) { return golden.at(name).size(axis); };
    glassbox::PredictorChoices sizes;
    sizes.d_in = size("input_net.1.weight", 1), sizes.classes = 1;
    sizes.encoder.block = block_choices(golden, size("input_net.1.weight", 0),
                                        size("transformer.layers.0.linear_net.0.weight", 0));
    sizes.encoder.layers = layers_in(golden, "transformer");
    glassbox::PredictorConfig config = golden_convention().config(sizes);
    config.positional_encoding = config.deep_output_net = false;
    return with_weights(glassbox::Predictor(config), golden);
}

class AnomalyCheck : public Check {
  public:
    Answer run(const Exercise& exercise, const Tensors& golden) const override {
        auto* find = exercise.function<decltype(find_anomaly)>("find_anomaly");
        auto* reorder = exercise.function<decltype(permute)>("permute");
        const AnomalyWeights w = weights_of(golden);
        const Matrices x = matrices_of(golden.at("x"));
        const Matrix classes = matrix_of(golden.at("classes"));
        const Vector order = vector_of(golden.at("order"));
        return run_each<Steps>(
            1, golden,
            [&](index_t, Steps& steps) {
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

    std::vector<std::string> paths_of(const std::string& step, const Tensors& golden) const override {
        if (step == "encoded") return {fmt::format("encoder/{}/norm2", layers_in(golden, "transformer") - 1)};
        if (step == "losses" || step == "loss") return {"measured/" + step};
        if (step == "found") return {"measured/answers"};
        return {step};
    }

    glassbox::Computation computation(const Tensors& golden) const override {
        const auto model = model_of(golden);
        return {[model, x = golden.at("x"), classes = golden.at("classes"), order = golden.at("order")] {
                    const Tensor labels = glassbox::anomaly_labels(classes);
                    const auto [scores, probabilities] = glassbox::anomaly_scores((*model)(x));
                    {
                        const glassbox::Scope scope("measured");
                        (void)glassbox::loss_of_probabilities(scores, probabilities, labels);
                        (void)glassbox::accuracy(probabilities, labels);
                    }
                    const glassbox::Scope scope("permuted");
                    (void)glassbox::permuted_sets({x, labels, scores}, order);
                },
                "permuted/scores"};
    }
};

}  // namespace

const Check& the_check() {
    static const AnomalyCheck check;
    return check;
}

}  // namespace lesson
