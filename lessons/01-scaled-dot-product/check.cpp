// Lesson 01: how the exercise is called, and which mistakes are known by what they do to the numbers.
#include "../support/check.h"

#include <cmath>

#include <glassbox/layers/mask.h>
#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "../support/compare.h"
#include "lesson.h"

namespace lesson {
namespace {

using glassbox::index_t;
using glassbox::real;
using glassbox::Shape;

// The i-th matrix of a tensor whose leading axes count matrices.
Matrix matrix(const Tensor& x, index_t i) {
    const int rows = static_cast<int>(x.size(-2)), columns = static_cast<int>(x.size(-1));
    Matrix m(rows, columns);
    const std::vector<real> values = x.values();
    std::size_t at = static_cast<std::size_t>(i * rows * columns);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) m(r, c) = static_cast<double>(values[at++]);
    return m;
}

// The student's matrices of one step, put together to the shape that is expected.
Answer::Step stacked(const std::vector<Matrix>& matrices, const Shape& expected) {
    std::vector<real> values;
    for (const Matrix& m : matrices) {
        if (m.rows() == 0 && m.columns() == 0) return {{}, not_there};
        const Shape shape = {m.rows(), m.columns()}, wanted = {expected[-2], expected[-1]};
        if (shape != wanted) return {{}, fmt::format("shape {}, expected {}", shape, wanted)};
        for (int r = 0; r < m.rows(); ++r)
            for (int c = 0; c < m.columns(); ++c) values.push_back(static_cast<real>(m(r, c)));
    }
    return {Tensor(expected, values), ""};
}

class AttentionCheck : public Check {
  public:
    AttentionCheck() : Check("01") {}

    Answer run(const Exercise& exercise, const Tensors& golden) const override {
        auto* attend = exercise.function<decltype(scaled_dot_product)>("scaled_dot_product");
        const Tensor &Q = golden.at("Q"), &K = golden.at("K"), &V = golden.at("V"), &mask = golden.at("mask");
        const index_t count = Q.numel() / (Q.size(-2) * Q.size(-1));
        std::map<std::string, std::vector<Matrix>> made;
        Answer answer;
        for (index_t i = 0; i < count && answer.stopped.empty(); ++i) {
            Steps steps;
            try {
                attend(matrix(Q, i), matrix(K, i), matrix(V, i), matrix(mask, i), steps);
            } catch (const std::exception& error) {
                answer.stopped = error.what();
            }
            made["logits"].push_back(steps.logits);
            made["scaled"].push_back(steps.scaled);
            made["masked"].push_back(steps.masked);
            made["attention"].push_back(steps.attention);
            made["values"].push_back(steps.values);
        }
        for (auto& [name, matrices] : made) {
            matrices.resize(static_cast<std::size_t>(count));  // where it stopped, the rest is missing
            answer.steps[name] = stacked(matrices, golden.at(name).shape());
        }
        return answer;
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
