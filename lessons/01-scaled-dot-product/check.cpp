// Lesson 01: how the exercise is called, and which mistakes are known by what they do to the numbers.
#include "../support/check.h"

#include <cmath>

#include <glassbox/layers/mask.h>
#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/ops/ops.h>

#include "../support/arrays.h"
#include "../support/compare.h"
#include "lesson.h"

namespace lesson {
namespace {

using glassbox::index_t;
using glassbox::real;

class AttentionCheck : public Check {
  public:
    AttentionCheck() : Check("01") {}

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
        if (step == "masked") return hidden(own.at("scaled"), own.at("mask"));
        if (step == "attention") return softmax(own.at("masked"));
        return matmul(own.at("attention"), own.at("V"));
    }

    std::string diagnose(const std::string& step, const Tensors& own) const override {
        if (step == "logits") return why_logits(own);
        if (step == "scaled") return why_scaled(own);
        if (step == "masked") return why_masked(own);
        if (step == "attention") return why_attention(own);
        return "";
    }

    // A hidden score may be any that is low enough: the sources differ in it.
    Tensor comparable(const std::string& step, const Tensor& value, const Tensors& golden) const override {
        if (step != "masked") return value;
        std::vector<real> values = value.values();
        const std::vector<real> mask = golden.at("mask").values(), masked = golden.at("masked").values();
        for (std::size_t i = 0; i < values.size(); ++i)
            if (mask[i] == 0 && values[i] <= real(low_enough)) values[i] = masked[i];
        return Tensor(value.shape(), values);
    }

  private:
    static constexpr double low_enough = -1e9;

    static Tensor hidden(const Tensor& scores, const Tensor& mask) {
        return masked_fill(scores, mask, hidden_score);
    }

    std::string why_logits(const Tensors& own) const {
        const double d_k = static_cast<double>(own.at("K").size(-1));
        return agree(own.at("logits"), redo("logits", own) / std::sqrt(d_k)) ? "divided" : "";
    }

    std::string why_scaled(const Tensors& own) const {
        const Tensor &logits = own.at("logits"), &scaled = own.at("scaled");
        const double d_k = static_cast<double>(own.at("K").size(-1));
        if (agree(scaled, logits)) return "not-divided";
        if (agree(scaled, logits / d_k)) return "no-root";
        const index_t others[] = {own.at("Q").size(-2), own.at("K").size(-2), own.at("V").size(-1)};
        for (index_t size : others)
            if (agree(scaled, logits / std::sqrt(static_cast<double>(size)))) return "wrong-size";
        return "";
    }

    std::string why_masked(const Tensors& own) const {
        const Tensor &scaled = own.at("scaled"), &masked = own.at("masked"), &mask = own.at("mask");
        const Tensor inverted = Tensor::ones(mask.shape()) - mask;
        if (agree(lowered(masked), hidden(scaled, inverted))) return "inverted";
        const bool removed_later = agree(own.at("attention") * inverted, Tensor::zeros(mask.shape()));
        if (agree(masked, scaled)) return removed_later ? "after-softmax" : "ignored";
        const bool seen_are_right = agree(masked * mask, scaled * mask);
        return seen_are_right ? "zero" : "";
    }

    std::string why_attention(const Tensors& own) const {
        const Tensor &masked = own.at("masked"), &attention = own.at("attention");
        for (real weight : attention.values())
            if (!std::isfinite(weight)) return "overflow";
        if (agree(attention, transpose(softmax(transpose(masked))))) return "wrong-axis";
        const Tensor totals = sum(attention, -1, true);
        return agree(totals, Tensor::ones(totals.shape())) ? "" : "not-normalised";
    }

    // Every very low score as the lesson writes it.
    static Tensor lowered(const Tensor& scores) {
        std::vector<real> values = scores.values();
        for (real& value : values)
            if (value <= real(low_enough)) value = real(hidden_score);
        return Tensor(scores.shape(), values);
    }
};

const AttentionCheck check;

}  // namespace
}  // namespace lesson
