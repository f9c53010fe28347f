// Lesson 13: the computation that the exercise is.
#include "../support/check.h"

#include <glassbox/decoding/token_reader.h>
#include <glassbox/layers/mask.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>
#include <glassbox/text/counted_pairs.h>
#include <glassbox/text/teacher_forcing.h>

#include "../support/arrays.h"
#include "lesson.h"

namespace lesson {
namespace {

using glassbox::Scope;

// From a corpus to tokens.
void learn_and_encode(const Tensors& golden) {
    const glassbox::CountedPairs learned = glassbox::learn_counted_pairs(
        golden.at("words"), golden.at("counts"), number_of(golden.at("how_many")));
    (void)glassbox::encode_counted_pairs(golden.at("text"), learned);
}

// 1 where there is a token, 0 where there is padding: a mask's part, from the tokens that were given.
Tensor named_padding(const Tensor& tokens, const glassbox::Shape& shape) {
    const Tensor is_token = (tokens > double(pad)) + (tokens < double(pad));
    return named(glassbox::steps::mask::padding, reshape(is_token, shape));
}

// From sentences to a batch. The tokens are masked by what they are, where the library has their lengths.
void make_the_batch(const Tensors& golden) {
    const Tensor source = golden.at("source");
    const index_t B = source.size(0), S = source.size(1) - 1;
    const Tensor inputs = named(glassbox::steps::teacher_forcing::inputs, slice(source, 1, 1, S + 1));
    {
        const Scope scope("source_mask");
        (void)named_padding(inputs, {B, S});
    }
    const Tensor targets = glassbox::shifted(golden.at("target")).targets;
    const index_t T = targets.size(1);
    const Scope scope("target_mask");
    const Tensor causal = named(glassbox::steps::mask::causal, glassbox::Mask::causal().visible({T, T}));
    const Tensor padding = named_padding(targets, {B, 1, T});
    (void)named(glassbox::steps::mask::visible, causal * padding);
}

glassbox::TokenReader reader_of(const Tensors& golden) {
    const auto linear = [&](const std::string& layer) {
        return glassbox::Linear{golden.at(layer + ".weight"), golden.at(layer + ".bias")};
    };
    const Tensor& table = golden.at("embedding.weight");
    glassbox::TokenReader reader{glassbox::TokenEmbedding(table.size(0), table.size(1)), linear("query"),
                                 linear("key"), linear("value"), linear("generator")};
    reader.embedding.weight = table;
    return reader;
}

class TextCheck : public Check {
  public:
    std::vector<std::string> paths_of(const std::string& step, const Tensors&) const override {
        static const std::map<std::string, std::string> others = {
            {"source_mask", "source_mask/padding"},
            {"target_mask", "target_mask/visible"},
            {"x", "decoder/x"},
            {"K", "decoder/K"},
            {"V", "decoder/V"},
            {"attention", "decoder/attention/attention"},
            {"values", "decoder/attention/values"},
            {"logits", "decoder/logits"},
            {"next", "decoder/token"}};
        const auto other = others.find(step);
        return {other == others.end() ? step : other->second};
    }

    // Of two scores that are nearly equal, rounding decides which is larger.
    bool is_clear(const Tensors& solved) const override {
        const Tensor& logits = solved.at("logits");
        constexpr double apart = 1e-4;
        for (const Tensor& row : unbind(logits, 0)) {
            std::vector<glassbox::real> scores = row.values();
            std::partial_sort(scores.begin(), scores.begin() + 2, scores.end(), std::greater<>());
            if (static_cast<double>(scores[0]) - static_cast<double>(scores[1]) < apart) return false;
        }
        return true;
    }

    // Each of the three parts of the lesson begins with inputs of its own.
    glassbox::Computation computation(const Tensors& golden) const override {
        return {[golden, reader = reader_of(golden)] {
                    learn_and_encode(golden);
                    make_the_batch(golden);
                    const Scope scope("decoder");
                    (void)reader(golden.at("tokens_read"));
                },
                "decoder/token"};
    }
};

}  // namespace

const Check& the_check() {
    static const TextCheck check;
    return check;
}

}  // namespace lesson
