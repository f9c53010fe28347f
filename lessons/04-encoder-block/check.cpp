// Lesson 04: how the exercise is called, and which mistakes are known by what they do to the numbers.
#include "../support/check.h"

#include <cmath>

#include <glassbox/ops/ops.h>

#include "../support/arrays.h"
#include "../support/compare.h"
#include "../support/norm_mistakes.h"
#include "lesson.h"

namespace lesson {
namespace {

using glassbox::real;

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

class EncoderBlockCheck : public Check {
  public:
    Answer run(const Exercise& exercise, const Tensors& golden) const override {
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

    Tensor redo(const std::string& step, const Tensors& own) const override {
        if (step == "self_attn/output") return attention_of(own.at("x"), own);
        if (step == "residual1") return own.at("x") + own.at("self_attn/output");
        if (step == "norm1") return norm_of(own).right(own.at("residual1"));
        if (step == "mlp/hidden") return layer("linear_net.0", own.at("norm1"), own);
        if (step == "mlp/relu") return relu(own.at("mlp/hidden"));
        if (step == "mlp/output") return layer("linear_net.3", own.at("mlp/relu"), own);
        if (step == "residual2") return own.at("norm1") + own.at("mlp/output");
        return norm_of(own, "norm2").right(own.at("residual2"));
    }

    std::string diagnose(const std::string& step, const Tensors& own) const override {
        const Tensor& given = own.at(step);
        if (step == "self_attn/output") {
            const Tensor before = norm_of(own).right(own.at("x"));
            return agree(given, attention_of(before, own)) ? "pre-norm" : "";
        }
        if (step == "residual1") return why_residual1(own);
        if (step == "norm1") return norm_of(own).why(own.at("residual1"), given);
        if (step == "mlp/hidden") return why_hidden(own);
        if (step == "mlp/relu") return why_relu(own);
        if (step == "mlp/output") return why_mlp_output(own);
        if (step == "residual2") return why_residual2(own);
        if (agree(given, norm_of(own).right(own.at("residual2")))) return "first-norm";
        return norm_of(own, "norm2").why(own.at("residual2"), given);
    }

  private:
    static LayerNorm norm_of(const Tensors& own, const std::string& name = "norm1") {
        return {own.at(name + ".weight"), own.at(name + ".bias"),
                static_cast<double>(own.at("epsilon").item())};
    }

    static Tensor layer(const std::string& name, const Tensor& x, const Tensors& own) {
        return linear(x, own.at(name + ".weight"), own.at(name + ".bias"));
    }

    static Tensor attention_of(const Tensor& x, const Tensors& own) {
        const AttentionWeights w = attention_weights_of(own, "self_attn.");
        std::vector<real> values;
        for (index_t i = 0; i < matrices_in(x); ++i) {
            const Matrix y = self_attention(matrix_of(x, i), w);
            for (int t = 0; t < y.rows(); ++t)
                for (int c = 0; c < y.columns(); ++c) values.push_back(static_cast<real>(y(t, c)));
        }
        return Tensor(x.shape(), values);
    }

    std::string why_residual1(const Tensors& own) const {
        const Tensor &x = own.at("x"), &attention = own.at("self_attn/output"), &given = own.at("residual1");
        if (agree(given, attention)) return "left-out";
        if (agree(given, x)) return "nothing-added";
        if (agree(given, x + norm_of(own).right(attention))) return "normalised-first";
        if (agree(given, norm_of(own).right(x) + attention)) return "pre-norm";
        return agree(given, norm_of(own).right(x + attention)) ? "normalised" : "";
    }

    std::string why_hidden(const Tensors& own) const {
        const Tensor& given = own.at("mlp/hidden");
        if (agree(given, layer("linear_net.0", own.at("residual1"), own))) return "from-residual1";
        if (agree(given, layer("linear_net.0", own.at("x"), own))) return "from-x";
        if (agree(given, layer("linear_net.0", own.at("self_attn/output"), own))) return "from-attention";
        if (agree(given, relu(redo("mlp/hidden", own)))) return "relu-already";
        return agree(given, linear(own.at("norm1"), own.at("linear_net.0.weight"))) ? "no-bias" : "";
    }

    std::string why_relu(const Tensors& own) const {
        const Tensor &given = own.at("mlp/relu"), &hidden = own.at("mlp/hidden");
        if (agree(given, -relu(-hidden))) return "negative-kept";
        if (agree(given, relu(hidden) + relu(-hidden))) return "absolute";
        if (agree(given, gelu(hidden)) || agree(given, gelu(hidden, glassbox::Activation::gelu_tanh)))
            return "gelu";
        if (!agree(given, hidden)) return "";
        const Tensor &output = own.at("mlp/output"), second = layer("linear_net.3", hidden, own);
        return agree(output, relu(second)) && !agree(output, second) ? "after-second-layer" : "not-applied";
    }

    std::string why_mlp_output(const Tensors& own) const {
        const Tensor& given = own.at("mlp/output");
        if (agree(given, relu(redo("mlp/output", own)))) return "relu";
        if (agree(given, layer("linear_net.3", own.at("mlp/hidden"), own))) return "from-hidden";
        return agree(given, linear(own.at("mlp/relu"), own.at("linear_net.3.weight"))) ? "no-bias" : "";
    }

    std::string why_residual2(const Tensors& own) const {
        const Tensor &given = own.at("residual2"), &output = own.at("mlp/output");
        if (agree(given, output)) return "left-out";
        if (agree(given, own.at("norm1"))) return "nothing-added";
        if (agree(given, own.at("x") + output)) return "from-x";
        if (agree(given, own.at("residual1") + output)) return "from-residual1";
        return agree(given, own.at("norm1") + norm_of(own, "norm2").right(output)) ? "normalised-first" : "";
    }
};

}  // namespace

const Check& the_check() {
    static const EncoderBlockCheck check;
    return check;
}

}  // namespace lesson
