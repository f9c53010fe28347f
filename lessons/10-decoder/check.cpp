// Lesson 10: how the exercise is called, and which mistakes are known by what they do to the numbers.
#include "../support/check.h"

#include "../support/arrays.h"
#include "../support/blocks.h"
#include "../support/compare.h"
#include "lesson.h"

namespace lesson {
namespace {

// 1 where `seen` says so.
template <class Seen>
Matrix mask_where(int rows, int columns, Seen seen) {
    Matrix mask(rows, columns);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) mask(i, j) = seen(i, j) ? 1 : 0;
    return mask;
}

bool is_past(int i, int j) { return j <= i; }
bool is_any(int, int) { return true; }

// The student's steps, and golden's inputs, as the exercise has them.
struct Block {
    Matrix x, memory, memory_mask, mask, self_attn, residual1, norm1, cross_attn, residual2, norm2, mlp,
        residual3;
    DecoderBlockWeights w;
    int T, S;

    explicit Block(const Tensors& own)
        : x(matrix_of(own.at("x"))),
          memory(matrix_of(own.at("memory"))),
          memory_mask(matrix_of(own.at("memory_mask"))),
          mask(matrix_of(own.at("mask"))),
          self_attn(matrix_of(own.at("self_attn/output"))),
          residual1(matrix_of(own.at("residual1"))),
          norm1(matrix_of(own.at("norm1"))),
          cross_attn(matrix_of(own.at("cross_attn/output"))),
          residual2(matrix_of(own.at("residual2"))),
          norm2(matrix_of(own.at("norm2"))),
          mlp(matrix_of(own.at("mlp/output"))),
          residual3(matrix_of(own.at("residual3"))),
          w(decoder_block_weights_of(own)),
          T(x.rows()),
          S(memory.rows()) {}

    Matrix self_attended(const Matrix& from, const Matrix& seen) const {
        return multi_head_attention(from, from, from, w.self_attn, seen);
    }
    Matrix cross_attended(const Matrix& queries, const Matrix& keys, const Matrix& values,
                          const Matrix& seen) const {
        return multi_head_attention(queries, keys, values, w.cross_attn, seen);
    }
};

class DecoderCheck : public Check {
  public:
    Answer run(const Exercise& exercise, const Tensors& golden) const override {
        auto* block = exercise.function<decltype(decoder_block)>("decoder_block");
        const Block b(golden);
        return run_each<Steps>(
            1, golden, [&](index_t, Steps& steps) { block(b.x, b.memory, b.memory_mask, b.w, steps); },
            [](Collected& all, const Steps& steps) {
                all.add("mask", steps.mask);
                all.add("self_attn/output", steps.self_attn.output);
                all.add("residual1", steps.residual1), all.add("norm1", steps.norm1);
                all.add("cross_attn/output", steps.cross_attn.output);
                all.add("residual2", steps.residual2), all.add("norm2", steps.norm2);
                all.add("mlp/output", steps.mlp.output);
                all.add("residual3", steps.residual3), all.add("norm3", steps.norm3);
            });
    }

    Tensor redo(const std::string& step, const Tensors& own) const override {
        return tensor_of(redone(step, Block(own)));
    }

    std::string diagnose(const std::string& step, const Tensors& own) const override {
        const Block b(own);
        // Right for its input, but on the way to something else: the two attentions have changed places.
        const bool cross_first = agree(own.at("cross_attn/output"),
                                       tensor_of(b.cross_attended(b.x, b.memory, b.memory, b.memory_mask)));
        if (step == "self_attn/output" && cross_first) return "cross-first";
        return first_that_gives(own.at(step), mistakes(step, b));
    }

  private:
    static Matrix redone(const std::string& step, const Block& b) {
        if (step == "mask") return mask_where(b.T, b.T, is_past);
        if (step == "self_attn/output") return b.self_attended(b.x, b.mask);
        if (step == "residual1") return add(b.x, b.self_attn);
        if (step == "norm1") return layer_norm(b.residual1, b.w.norm1);
        if (step == "cross_attn/output") return b.cross_attended(b.norm1, b.memory, b.memory, b.memory_mask);
        if (step == "residual2") return add(b.norm1, b.cross_attn);
        if (step == "norm2") return layer_norm(b.residual2, b.w.norm2);
        if (step == "mlp/output") return feed_forward(b.norm2, b.w.mlp);
        if (step == "residual3") return add(b.norm2, b.mlp);
        return layer_norm(b.residual3, b.w.norm3);
    }

    static std::vector<Mistake> mistakes(const std::string& step, const Block& b) {
        if (step == "mask") return of_mask(b);
        if (step == "self_attn/output") return of_self_attention(b);
        if (step == "residual1") return {{"left-out", [&] { return b.self_attn; }}};
        if (step == "norm1") return of_norm(b.residual1, {b.w.norm2, b.w.norm3});
        if (step == "cross_attn/output") return of_cross_attention(b);
        if (step == "residual2")
            return {{"left-out", [&] { return b.cross_attn; }},
                    {"from-x", [&] { return add(b.x, b.cross_attn); }},
                    {"not-normed", [&] { return add(b.residual1, b.cross_attn); }}};
        if (step == "norm2") return of_norm(b.residual2, {b.w.norm1, b.w.norm3});
        if (step == "mlp/output")
            return {{"not-normed", [&] { return feed_forward(b.residual2, b.w.mlp); }},
                    {"from-norm1", [&] { return feed_forward(b.norm1, b.w.mlp); }}};
        if (step == "residual3")
            return {{"left-out", [&] { return b.mlp; }},
                    {"from-x", [&] { return add(b.x, b.mlp); }},
                    {"from-norm1", [&] { return add(b.norm1, b.mlp); }},
                    {"not-normed", [&] { return add(b.residual2, b.mlp); }}};
        return of_norm(b.residual3, {b.w.norm1, b.w.norm2});
    }

    static std::vector<Mistake> of_mask(const Block& b) {
        const auto where = [T = b.T](auto seen) { return [=] { return mask_where(T, T, seen); }; };
        return {{"inverted", where([](int i, int j) { return j > i; })},
                {"transposed", where([](int i, int j) { return j >= i; })},
                {"not-itself", where([](int i, int j) { return j < i; })},
                {"sees-next", where([](int i, int j) { return j <= i + 1; })},
                {"nothing-hidden", where(is_any)}};
    }

    static std::vector<Mistake> of_self_attention(const Block& b) {
        return {
            {"no-mask", [&] { return b.self_attended(b.x, mask_where(b.T, b.T, is_any)); }},
            {"memory",
             [&] { return multi_head_attention(b.x, b.memory, b.memory, b.w.self_attn, b.memory_mask); }},
            {"other-weights", [&] { return multi_head_attention(b.x, b.x, b.x, b.w.cross_attn, b.mask); }}};
    }

    static std::vector<Mistake> of_cross_attention(const Block& b) {
        const Matrix &y = b.norm1, &memory = b.memory, &seen = b.memory_mask;
        return {
            {"causal", [&] { return b.cross_attended(y, memory, memory, mask_where(b.T, b.S, is_past)); }},
            {"no-mask", [&] { return b.cross_attended(y, memory, memory, mask_where(b.T, b.S, is_any)); }},
            {"keys-from-x", [&] { return b.cross_attended(y, y, memory, seen); }},
            {"keys-from-x", [&] { return b.cross_attended(y, b.x, memory, seen); }},
            {"values-from-x", [&] { return b.cross_attended(y, memory, y, seen); }},
            {"values-from-x", [&] { return b.cross_attended(y, memory, b.x, seen); }},
            {"no-memory", [&] { return b.cross_attended(y, y, y, b.mask); }},
            {"no-memory", [&] { return b.cross_attended(y, y, y, seen); }},
            {"exchanged", [&] { return b.cross_attended(memory, y, y, seen); }},
            {"queries-from-memory", [&] { return b.cross_attended(memory, memory, memory, seen); }},
            {"queries-from-x", [&] { return b.cross_attended(b.x, memory, memory, seen); }},
            {"not-normed", [&] { return b.cross_attended(b.residual1, memory, memory, seen); }},
            {"other-weights", [&] { return multi_head_attention(y, memory, memory, b.w.self_attn, seen); }},
        };
    }

    static std::vector<Mistake> of_norm(const Matrix& residual, const std::vector<NormWeights>& others) {
        std::vector<Mistake> all = {{"left-out", [&] { return residual; }}};
        for (const NormWeights& w : others)
            all.push_back({"other-weights", [&residual, w] { return layer_norm(residual, w); }});
        return all;
    }
};

}  // namespace

const Check& the_check() {
    static const DecoderCheck check;
    return check;
}

}  // namespace lesson
