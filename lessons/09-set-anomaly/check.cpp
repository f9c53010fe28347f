// Lesson 09: the computation that the exercise is.
#include "../support/check.h"

#include <glassbox/models/predictor.h>
#include <glassbox/observe/trace.h>
#include <glassbox/tasks/set_anomaly.h>
#include <glassbox/tensor/format.h>
#include <glassbox/train/loss.h>

#include "../support/arrays.h"
#include "../support/library.h"
#include "lesson.h"

namespace lesson {
namespace {

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
                "permuted/scores", [=] { return glassbox::parameters_of(*model); }};
    }
};

}  // namespace

const Check& the_check() {
    static const AnomalyCheck check;
    return check;
}

}  // namespace lesson
