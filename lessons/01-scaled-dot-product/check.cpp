// Lesson 01: how the exercise is called, and which mistakes are known by what they do to the numbers.
#include "../support/check.h"

#include <cmath>

#include <glassbox/layers/mask.h>
#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/ops/ops.h>

#include "../support/arrays.h"
#include "../support/attention_mistakes.h"
#include "../support/compare.h"
#include "lesson.h"

namespace lesson {
namespace {

using glassbox::index_t;

class AttentionCheck : public Check {
  public:
    Answer run(const Exercise& exercise, const Tensors& golden) const override {
        auto* attend = exercise.function<decltype(scaled_dot_product)>("scaled_dot_product");
        const Tensor &Q = golden.at("Q"), &K = golden.at("K"), &V = golden.at("V"), &mask = golden.at("mask");
        return run_each<Steps>(
            matrices_in(Q), golden,
            [&](index_t i, Steps& steps) {
                attend(matrix_of(Q, i), matrix_of(K, i), matrix_of(V, i), matrix_of(mask, i), steps);
            },
            [](Collected& all, const Steps& steps) {
                all.add("logits", steps.logits);
                all.add("scaled", steps.scaled);
                all.add("masked", steps.masked);
                all.add("attention", steps.attention);
                all.add("values", steps.values);
            });
    }

    Tensor redo(const std::string& step, const Tensors& own) const override {
        const Tensor& K = own.at("K");
        if (step == "logits") return matmul(own.at("Q"), transpose(K));
        if (step == "scaled") return own.at("logits") / std::sqrt(static_cast<double>(K.size(-1)));
        if (step == "masked") return masked_fill(own.at("scaled"), own.at("mask"), hidden);
        if (step == "attention") return softmax(own.at("masked"));
        return matmul(own.at("attention"), own.at("V"));
    }

    std::string diagnose(const std::string& step, const Tensors& own) const override {
        if (step == "logits") return why_logits(own);
        const Tensor &Q = own.at("Q"), &K = own.at("K"), &V = own.at("V");
        if (step == "scaled")
            return why_scaled(own.at("logits"), own.at("scaled"), K.size(-1),
                              {Q.size(-2), K.size(-2), V.size(-1)});
        if (step == "masked")
            return why_masked(own.at("scaled"), own.at("masked"), own.at("attention"), own.at("mask"));
        if (step == "attention") return why_attention(own.at("masked"), own.at("attention"));
        return "";
    }

    Tensor comparable(const std::string& step, const Tensor& value, const Tensors& golden) const override {
        return step == "masked" ? with_hidden_as_in(golden.at(step), value) : value;
    }

  private:
    std::string why_logits(const Tensors& own) const {
        const double d_k = static_cast<double>(own.at("K").size(-1));
        return agree(own.at("logits"), redo("logits", own) / std::sqrt(d_k)) ? "divided" : "";
    }
};

}  // namespace

const Check& the_check() {
    static const AttentionCheck check;
    return check;
}

}  // namespace lesson
