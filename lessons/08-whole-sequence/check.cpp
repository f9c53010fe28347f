// Lesson 08: the computation that the exercise is.
#include "../support/check.h"

#include <glassbox/models/predictor.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "../support/arrays.h"
#include "../support/library.h"
#include "lesson.h"

namespace lesson {
namespace {

using glassbox::Mask;

std::vector<index_t> lengths_of(const Tensors& golden) {
    const std::vector<glassbox::real> lengths = golden.at("lengths").values();
    return std::vector<index_t>(lengths.begin(), lengths.end());
}

// The library's parts behind an input network.
struct Model {
    glassbox::PositionalEncoding positional;
    glassbox::Encoder encoder;
    Tensor cls;
    glassbox::Linear output_net;

    explicit Model(const glassbox::PredictorConfig& config)
        : positional(config.d_model()),
          encoder(config.encoder),
          cls(Tensor::zeros({config.d_model()})),
          output_net(glassbox::Linear::zeros(config.d_model(), config.classes)) {}
    void parameters(glassbox::Parameters& all) {
        all("cls_token", cls), all("transformer", encoder), all("output_net", output_net);
    }

    Tensor encoded(const Tensor& x, const Tensor& visible) const {
        return encoder(with_positions(x), Mask::given(visible));
    }
    void answer(const Tensor& h, glassbox::Pooling pooling, const Mask& mask = {}) const {
        (void)named(glassbox::steps::predictor::logits, output_net(pooled(h, pooling, mask)));
    }

  private:
    Tensor with_positions(const Tensor& x) const {
        const glassbox::Scope scope("positional");
        return positional(x);
    }
};

class WholeCheck : public Check {
  public:
    std::vector<std::string> paths_of(const std::string& step, const Tensors&) const override {
        if (step == "real") return {"padding"};
        return {step == "cls/real" ? "cls/padding" : step};
    }

    // What stands in the rows of padding is nobody's business.
    Tensor what_counts(const std::string& step, const Tensor& value, const Tensors& golden) const override {
        const bool has_token = step == "cls/encoder/0/norm2";
        if (!has_token && step != "encoder/0/norm2") return value;
        std::vector<index_t> rows = lengths_of(golden);
        if (has_token)
            for (index_t& row : rows) ++row;
        const Tensor& expected = golden.at(step);
        const Tensor real = glassbox::Mask::lengths(rows).visible(expected.shape().with(-1, value.size(-2)));
        const Tensor right_there = where(transpose(slice(real, -2, 0, 1)), value, expected);
        return difference(right_there, expected).empty() ? right_there : value;
    }

    // One answer from all elements, by two ways of pooling, and one from a token in front.
    glassbox::Computation computation(const Tensors& golden) const override {
        const Tensor x = golden.at("x");
        const index_t B = x.size(0), T = x.size(1);
        glassbox::PredictorChoices sizes;
        sizes.classes = golden.at("cls/logits").size(-1);
        sizes.encoder.layers = 1;
        sizes.encoder.block =
            block_choices(golden, x.size(-1), golden.at("transformer.layers.0.linear_net.0.bias").numel());
        const auto model = with_weights(Model(golden_convention().config(sizes)), golden, true);
        const Mask mask = Mask::lengths(lengths_of(golden));
        return {[=] {
                    const Tensor h = model->encoded(x, mask.visible_by_steps({B, T, T}));
                    for (const auto& [part, pooling] : {std::pair("mean", glassbox::Pooling::mean),
                                                        std::pair("max", glassbox::Pooling::max)}) {
                        const glassbox::Scope scope(part);
                        model->answer(h, pooling, mask);
                    }
                    const glassbox::Scope scope("cls");
                    const Tensor with_token = with_cls(model->cls, x);
                    const Tensor real = mask.with_prepended_token().visible_by_steps({B, 1 + T, 1 + T});
                    model->answer(model->encoded(with_token, real), glassbox::Pooling::cls);
                },
                "cls/logits", [=] { return glassbox::parameters_of(*model); }};
    }
};

}  // namespace

const Check& the_check() {
    static const WholeCheck check;
    return check;
}

}  // namespace lesson
