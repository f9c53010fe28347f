// Lesson 05: the computation that the exercise is.
#include "../support/check.h"

#include <glassbox/models/predictor.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "../support/arrays.h"
#include "../support/library.h"
#include "lesson.h"

namespace lesson {
namespace {

class PredictorCheck : public Check {
  public:
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
                "cls/logits",
                [=] {
                    glassbox::Parameters all;
                    all("elements", *elements), all("mean", *mean), all("cls", *cls);
                    return all;
                }};
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
