// Lesson 07: the computation that the exercise is.
#include "../support/check.h"

#include <glassbox/models/predictor.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tasks/reversal.h>
#include <glassbox/train/loss.h>
#include <glassbox/train/optimiser.h>

#include "../support/arrays.h"
#include "../support/library.h"
#include "lesson.h"

namespace lesson {
namespace {

double rate_of(const Tensors& golden) { return static_cast<double>(golden.at("rate").item()); }

std::shared_ptr<glassbox::Predictor> model_of(const Tensors& golden) {
    const auto rows = [&](const char* name) { return golden.at(name).size(0); };
    glassbox::PredictorChoices sizes;
    sizes.d_in = sizes.classes = rows("output_net.4.bias");
    sizes.encoder.block =
        block_choices(golden, rows("input_net.1.bias"), rows("transformer.layers.0.linear_net.0.bias"));
    sizes.encoder.layers = 1;
    return with_weights(glassbox::Predictor(golden_convention().config(sizes)), golden);
}

// The loss of a batch, its steps under this name, and its gradient by the logits.
Tensor dlogits_of(const char* name, const Tensor& logits, const Tensor& labels) {
    const glassbox::Scope scope(name);
    return glassbox::loss_and_gradient(logits, labels).dlogits;
}

// The last bias, which is added to the logits of every position, after a step downhill.
Tensor descended(const Tensor& b, const Tensor& dlogits, double rate) {
    const glassbox::Scope scope("update");
    glassbox::OptimiserConfig plain{glassbox::OptimiserKind::sgd};
    const Tensor gradient = sum(sum(dlogits, 0), 0);  // (C)
    return glassbox::descent({b, Tensor::zeros(b.shape())}, gradient, plain, rate).w;
}

class ReversalCheck : public Check {
  public:
    std::vector<std::string> paths_of(const std::string& step, const Tensors&) const override {
        static const std::map<std::string, std::string> paths = {{"losses", "before/losses"},
                                                                 {"loss", "before/loss"},
                                                                 {"gradient", "update/gradient"},
                                                                 {"loss_after", "after/loss"}};
        const auto path = paths.find(step);
        return {path == paths.end() ? step : path->second};
    }

    glassbox::Computation computation(const Tensors& golden) const override {
        const auto model = model_of(golden);
        return {[model, numbers = golden.at("numbers"), b = golden.at("output_net.4.bias"),
                 rate = rate_of(golden)] {
                    const Tensor x =
                        named(glassbox::steps::predictor::x, glassbox::one_hot(numbers, b.numel()));
                    const Tensor labels = glassbox::reversed_labels(numbers);
                    const Tensor logits = (*model)(x);
                    const Tensor dlogits = dlogits_of("before", logits, labels);
                    (void)dlogits_of("after", logits - b + descended(b, dlogits, rate), labels);
                    (void)glassbox::accuracy(logits, labels);
                    if (const glassbox::Trace* trace = glassbox::Trace::current())
                        (void)glassbox::mirrored_attention((*trace)["encoder/0/self_attn/attention"]);
                },
                "mirrored", [=] { return glassbox::parameters_of(*model); }};
    }
};

}  // namespace

const Check& the_check() {
    static const ReversalCheck check;
    return check;
}

}  // namespace lesson
