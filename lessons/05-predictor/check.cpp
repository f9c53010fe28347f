// Lesson 05: how the exercise is called, and the computation that it is.
#include "../support/check.h"

#include <glassbox/models/predictor.h>
#include <glassbox/observe/scope.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "../support/arrays.h"
#include "../support/blocks.h"
#include "../support/library.h"
#include "lesson.h"

namespace lesson {
namespace {

PredictorWeights weights_of(const Tensors& golden) {
    const auto matrix = [&](const char* name) { return matrix_of(golden.at(name)); };
    const auto vector = [&](const char* name) { return vector_of(golden.at(name)); };
    return {matrix("input_net.1.weight"),
            vector("input_net.1.bias"),
            encoder_block_weights_of(golden, "transformer.layers.0."),
            matrix("output_net.0.weight"),
            vector("output_net.0.bias"),
            norm_weights_of(golden, "output_net.1."),
            matrix("output_net.4.weight"),
            vector("output_net.4.bias"),
            vector("cls_token")};
}

class PredictorCheck : public Check {
  public:
    Answer run(const Exercise& exercise, const Tensors& golden) const override {
        auto* elements = exercise.function<decltype(predict_elements)>("predict_elements");
        auto* whole = exercise.function<decltype(predict_whole)>("predict_whole");
        const PredictorWeights w = weights_of(golden);
        const Vector ids = vector_of(golden.at("ids"));
        return run_each<Steps>(
            1, golden,
            [&](index_t, Steps& steps) {
                elements(ids, w, steps);
                if (steps.softmax.rows() > 0) whole(w, steps);  // else there is nothing to go on from yet
            },
            [](Collected& all, const Steps& steps) {
                all.add("x", steps.x), all.add("input_net", steps.input_net);
                all.add("positional/output", steps.positional.output),
                    all.add("encoder/0/norm2", steps.encoded);
                all.add("output_net/linear", steps.output_net.linear);
                all.add("output_net/norm", steps.output_net.norm);
                all.add("output_net/relu", steps.output_net.relu);
                all.add("logits", steps.logits), all.add("softmax", steps.softmax);
                all.add("mean/pooled", steps.mean.pooled), all.add("mean/logits", steps.mean.logits);
                all.add("cls/cls", steps.cls.cls);
                all.add("cls/positional/output", steps.cls.positional.output);
                all.add("cls/encoder/0/norm2", steps.cls.encoded);
                all.add("cls/pooled", steps.cls.pooled), all.add("cls/logits", steps.cls.logits);
            });
    }

    std::vector<std::string> paths_of(const std::string& step, const Tensors&) const override {
        if (step == "input_net") return {step, "mean/input_net", "cls/input_net"};
        if (step == "encoder/0/norm2") return {step, "mean/encoder/0/norm2"};
        return {step};
    }

    // Three models with the same weights: for every element, and two for the whole sequence.
    glassbox::Computation computation(const Tensors& golden) const override {
        const auto elements = model(golden, glassbox::Pooling::none);
        const auto mean = model(golden, glassbox::Pooling::mean), cls = model(golden, glassbox::Pooling::cls);
        const Tensor ids = golden.at("ids");
        const index_t d_in = golden.at("x").size(-1);
        return {[=] {
                    const Tensor x = named(glassbox::steps::predictor::x, glassbox::one_hot(ids, d_in));
                    (void)(*elements)(x);
                    for (const auto& [part, whole] : {std::pair("mean", mean), std::pair("cls", cls)}) {
                        const glassbox::Scope scope(part);
                        (void)(*whole)(x);
                    }
                },
                "cls/logits"};
    }

  private:
    static std::shared_ptr<glassbox::Predictor> model(const Tensors& golden, glassbox::Pooling pooling) {
        const index_t d_ff = golden.at("transformer.layers.0.linear_net.0.bias").numel();
        glassbox::PredictorChoices sizes;
        sizes.d_in = golden.at("x").size(-1), sizes.classes = golden.at("logits").size(-1);
        sizes.encoder.block = block_choices(golden, golden.at("input_net").size(-1), d_ff);
        sizes.encoder.layers = 1;
        sizes.pooling = pooling;
        return with_weights(glassbox::Predictor(golden_convention().config(sizes)), golden,
                            pooling == glassbox::Pooling::cls);
    }
};

}  // namespace

const Check& the_check() {
    static const PredictorCheck check;
    return check;
}

}  // namespace lesson
