// Lesson 12: the computation that the exercise is.
#include "../support/check.h"

#include <glassbox/decoding/written.h>
#include <glassbox/models/transformer.h>
#include <glassbox/observe/trace.h>
#include <glassbox/text/teacher_forcing.h>
#include <glassbox/train/loss.h>

#include "../support/arrays.h"
#include "../support/library.h"
#include "lesson.h"

namespace lesson {
namespace {

using glassbox::Mask;
using glassbox::real;

// <start>, the answer, <end>, and <pad> behind it: (B, L + 2).
Tensor sentences_of(const Tensors& golden) {
    const Matrix answers = matrix_of(golden.at("answers"));
    const Vector lengths = vector_of(golden.at("lengths"));
    std::vector<real> tokens;
    for (int b = 0; b < answers.rows(); ++b) {
        const int n = static_cast<int>(lengths(b));
        tokens.push_back(start);
        for (int t = 0; t < n; ++t) tokens.push_back(static_cast<real>(answers(b, t)));
        tokens.push_back(end);
        for (int t = n; t < answers.columns(); ++t) tokens.push_back(pad);
    }
    return Tensor({answers.rows(), answers.columns() + 2}, tokens);
}

// How many of the tokens of each row (B, T) are not <pad>, at least one.
std::vector<index_t> words_in(const Tensor& tokens) {
    const Matrix rows = matrix_of(tokens);
    std::vector<index_t> words;
    for (int b = 0; b < rows.rows(); ++b) {
        index_t n = 0;
        for (int t = 0; t < rows.columns(); ++t) n += rows(b, t) != pad;
        words.push_back(std::max<index_t>(n, 1));
    }
    return words;
}

std::shared_ptr<glassbox::Transformer> model_of(const Tensors& golden) {
    const auto rows = [&](const char* name) { return golden.at(name).size(0); };
    glassbox::TransformerChoices sizes;
    sizes.source_vocabulary = rows("source_embedding.weight");
    sizes.target_vocabulary = rows("target_embedding.weight");
    sizes.encoder.block = block_choices(golden, golden.at("generator.weight").size(-1),
                                        rows("encoder.layers.0.linear_net.0.weight"));
    sizes.decoder.block = sizes.encoder.block;
    sizes.encoder.layers = layers_in(golden, "encoder");
    sizes.decoder.layers = layers_in(golden, "decoder");
    return with_weights(glassbox::Transformer(golden_convention().config(sizes)), golden);
}

class CopyCheck : public Check {
  public:
    std::vector<std::string> paths_of(const std::string& step, const Tensors&) const override {
        if (step == "target") return {"targets"};
        if (step == "losses" || step == "loss") return {"measured/" + step};
        return {step};
    }

    bool is_clear(const Tensors& solved) const override {
        return !has_padding_inside(solved.at("written"), pad, end);
    }

    glassbox::Computation computation(const Tensors& golden) const override {
        const auto model = model_of(golden);
        return {[model, source = golden.at("source"), sentences = sentences_of(golden),
                 longest = static_cast<index_t>(number_of(golden.at("longest")))] {
                    const auto [targets, labels] = glassbox::shifted(sentences);
                    const Mask padding = Mask::lengths(words_in(source));
                    const Tensor memory = model->encode(source, padding);
                    const Tensor logits =
                        model->decode(targets, memory, Mask::lengths(words_in(targets)), padding);
                    {
                        const glassbox::Scope scope("measured");
                        (void)glassbox::loss_and_gradient(logits, labels);
                    }
                    (void)glassbox::accuracy(logits, labels);
                    (void)glassbox::written(*model, source, longest);
                },
                "certainty", [=] { return glassbox::parameters_of(*model); }};
    }
};

}  // namespace

const Check& the_check() {
    static const CopyCheck check;
    return check;
}

}  // namespace lesson
