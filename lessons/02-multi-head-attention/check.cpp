// Lesson 02: how the exercise is called, and which mistakes are known by what they do to the numbers.
#include "../support/check.h"

#include <cmath>

#include <glassbox/ops/ops.h>

#include "../support/arrays.h"
#include "../support/attention_mistakes.h"
#include "../support/compare.h"
#include "lesson.h"

namespace lesson {
namespace {

using glassbox::Shape;

Tensor swapped(const Tensor& x) {  // axes -3 and -2: heads and tokens
    return x.rank() == 3 ? permute(x, {1, 0, 2}) : permute(x, {0, 2, 1, 3});
}

// The last axes (a, b) of x as (c, d, …), without moving a number.
Tensor viewed(const Tensor& x, std::initializer_list<index_t> last) {
    Shape shape = x.shape().leading(x.rank() - 2);
    for (index_t size : last) shape = shape.with_appended(size);
    return reshape(contiguous(x), shape);
}

struct Sizes {
    index_t heads, T, d_model, d_h;
    explicit Sizes(const Tensors& own)
        : heads(number_of(own.at("heads"))),
          T(own.at("x").size(-2)),
          d_model(own.at("o_proj.weight").size(-1)),
          d_h(d_model / heads) {}
};

class MultiHeadCheck : public Check {
  public:
    Answer run(const Exercise& exercise, const Tensors& golden) const override {
        auto* attend = exercise.function<decltype(multi_head_attention)>("multi_head_attention");
        const Tensor &x = golden.at("x"), &mask = golden.at("mask");
        const AttentionWeights w = attention_weights_of(golden);
        return run_each<Steps>(
            matrices_in(x), golden,
            [&](index_t i, Steps& steps) { attend(matrix_of(x, i), w, matrix_of(mask, i), steps); },
            [](Collected& all, const Steps& steps) {
                all.add("qkv", steps.qkv);
                all.add("Q", steps.Q), all.add("K", steps.K), all.add("V", steps.V);
                all.add("logits", steps.logits), all.add("scaled", steps.scaled);
                all.add("masked", steps.masked), all.add("attention", steps.attention);
                all.add("values", steps.values), all.add("concat", steps.concat);
                all.add("output", steps.output);
            });
    }

    Tensor redo(const std::string& step, const Tensors& own) const override {
        const Sizes n(own);
        if (step == "qkv") return linear(own.at("x"), own.at("qkv_proj.weight"), own.at("qkv_proj.bias"));
        if (step == "Q") return part(by_head(own), 0);
        if (step == "K") return part(by_head(own), 1);
        if (step == "V") return part(by_head(own), 2);
        if (step == "logits") return matmul(own.at("Q"), transpose(own.at("K")));
        if (step == "scaled") return own.at("logits") / std::sqrt(static_cast<double>(n.d_h));
        if (step == "masked") return masked_fill(own.at("scaled"), mask_of_heads(own), hidden);
        if (step == "attention") return softmax(own.at("masked"));
        if (step == "values") return matmul(own.at("attention"), own.at("V"));
        if (step == "concat") return joined(swapped(own.at("values")), n);
        return linear(own.at("concat"), own.at("o_proj.weight"), own.at("o_proj.bias"));
    }

    std::string diagnose(const std::string& step, const Tensors& own) const override {
        const Sizes n(own);
        if (step == "qkv") return why_linear("qkv", own, "x", "qkv_proj");
        if (step == "Q" || step == "K" || step == "V") return why_split(step, own);
        if (step == "logits") return why_logits(own);
        if (step == "scaled") {
            const Tensor &logits = own.at("logits"), &scaled = own.at("scaled");
            if (agree(scaled, logits / std::sqrt(static_cast<double>(n.d_model)))) return "d_model";
            return why_scaled(logits, scaled, n.d_h, {n.T, 3 * n.d_h, n.heads, own.at("x").size(-1)});
        }
        if (step == "masked") return why_masked_in_heads(own);
        if (step == "attention") return why_weights(own);
        if (step == "values") return why_values(own);
        if (step == "concat") return why_concat(own);
        return agree(own.at("output"), own.at("concat")) ? "left-out"
                                                         : why_linear("output", own, "concat", "o_proj");
    }

    Tensor comparable(const std::string& step, const Tensor& value, const Tensors& golden) const override {
        return step == "masked" ? with_hidden_as_in(golden.at(step), value) : value;
    }

  private:
    // (…, h, T, 3 d_h)
    static Tensor by_head(const Tensors& own) {
        const Sizes n(own);
        return swapped(viewed(own.at("qkv"), {n.T, n.heads, 3 * n.d_h}));
    }

    static Tensor part(const Tensor& by_head, index_t which) {
        const index_t d_h = by_head.size(-1) / 3;
        return slice(by_head, -1, which * d_h, (which + 1) * d_h);
    }

    // (…, T, h, d_h) → (…, T, d_model)
    static Tensor joined(const Tensor& by_token, const Sizes& n) {
        Shape shape = by_token.shape().leading(by_token.rank() - 3).with_appended(n.T);
        return reshape(contiguous(by_token), shape.with_appended(n.d_model));
    }

    static Tensor mask_of_heads(const Tensors& own) {
        const Tensor& mask = own.at("mask");
        if (mask.rank() == 2) return mask;
        return reshape(mask, {mask.size(0), 1, mask.size(1), mask.size(2)});
    }

    static Tensor first_head(const Tensor& x) { return slice(x, -3, 0, 1); }

    static std::string why_linear(const std::string& step, const Tensors& own, const std::string& input,
                                  const std::string& layer) {
        const Tensor &x = own.at(input), &W = own.at(layer + ".weight"), &b = own.at(layer + ".bias");
        if (agree(own.at(step), linear(x, W))) return "no-bias";
        const Tensor turned = reshape(W, {W.size(1), W.size(0)});  // as W itself is when it is square
        return agree(own.at(step), matmul(x, turned) + b) ? "not-transposed" : "";
    }

    std::string why_split(const std::string& step, const Tensors& own) const {
        const Sizes n(own);
        const index_t which = step == "Q" ? 0 : step == "K" ? 1 : 2;
        const Tensor &given = own.at(step), &qkv = own.at("qkv");
        for (const char* other : {"Q", "K", "V"})
            if (other != step && agree(given, redo(other, own))) return "exchanged";
        if (which != 0) return "";
        const Tensor third = slice(qkv, -1, 0, n.d_model);
        if (agree(given, swapped(viewed(third, {n.T, n.heads, n.d_h})))) return "thirds";
        if (agree(given, part(viewed(qkv, {n.heads, n.T, 3 * n.d_h}), 0))) return "no-permute";
        if (agree(given, viewed(third, {n.heads, n.T, n.d_h}))) return "no-permute";
        const Tensor turned = viewed(qkv, {n.T, 3 * n.d_h, n.heads});  // every h-th number to a head
        const Tensor heads_first =
            turned.rank() == 3 ? permute(turned, {2, 0, 1}) : permute(turned, {0, 3, 1, 2});
        return agree(given, part(heads_first, 0)) ? "interleaved" : "";
    }

    std::string why_logits(const Tensors& own) const {
        const Tensor right = redo("logits", own);
        const Tensor &logits = own.at("logits"), &Q = own.at("Q"), &K = own.at("K");
        if (agree(logits, right / std::sqrt(static_cast<double>(Q.size(-1))))) return "divided";
        return agree(logits, matmul(Q, transpose(first_head(K)))) ? "one-head" : "";
    }

    std::string why_masked_in_heads(const Tensors& own) const {
        const Tensor &scaled = own.at("scaled"), &masked = own.at("masked");
        const Tensor right = redo("masked", own);
        const index_t heads = scaled.size(-3);
        if (agree(first_head(with_hidden_as_in(right, masked)), first_head(right)) &&
            agree(slice(masked, -3, 1, heads), slice(scaled, -3, 1, heads)))
            return "first-head";
        return why_masked(scaled, masked, own.at("attention"), mask_of_heads(own));
    }

    std::string why_weights(const Tensors& own) const {
        const Tensor &masked = own.at("masked"), &attention = own.at("attention");
        const Tensor of_first = broadcast_to(softmax(first_head(masked)), attention.shape());
        return agree(attention, of_first) ? "one-head" : why_attention(masked, attention);
    }

    std::string why_values(const Tensors& own) const {
        const Tensor &attention = own.at("attention"), &V = own.at("V"), &values = own.at("values");
        if (agree(values, matmul(first_head(attention), V))) return "one-head";
        if (agree(values, matmul(attention, first_head(V)))) return "one-value";
        return agree(values, matmul(transpose(attention), V)) ? "transposed" : "";
    }

    std::string why_concat(const Tensors& own) const {
        const Sizes n(own);
        const Tensor &values = own.at("values"), &concat = own.at("concat");
        if (agree(concat, reshape(contiguous(values), concat.shape()))) return "no-permute";
        std::vector<Tensor> reversed;
        for (index_t h = n.heads; h-- > 0;) reversed.push_back(slice(values, -3, h, h + 1));
        if (agree(concat, joined(swapped(glassbox::concat(reversed, -3)), n))) return "reversed";
        const Tensor by_token = transpose(swapped(values));  // (…, T, d_h, h)
        return agree(concat, joined(by_token, n)) ? "interleaved" : "";
    }
};

}  // namespace

const Check& the_check() {
    static const MultiHeadCheck check;
    return check;
}

}  // namespace lesson
