// Lesson 11: the computation that the exercise is.
#include "../support/check.h"

#include <algorithm>

#include <glassbox/decoding/written.h>
#include <glassbox/models/transformer.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/text/teacher_forcing.h>

#include "../support/arrays.h"
#include "../support/library.h"
#include "lesson.h"

namespace lesson {
namespace {

using glassbox::Mask;
using glassbox::real;
using glassbox::Scope;

// What the exercise has beside the model's own steps.
constexpr glassbox::StepInfo labels_step{"lesson", "labels", "sentence, all but the first",
                                         "What the decoder is to say at each position."};

index_t words_in(const Tensor& tokens) {
    const std::vector<real> ids = tokens.values();
    return static_cast<index_t>(std::count_if(ids.begin(), ids.end(), [](real id) { return id != pad; }));
}

// The mask, (rows, columns), as steps under this name.
Tensor mask_steps(const char* name, const Mask& mask, index_t rows, index_t columns) {
    const Scope scope(name);
    return mask.visible_by_steps({rows, columns});
}

// With a decoder that adds the causal mask itself, or is handed it.
std::shared_ptr<glassbox::Transformer> model_of(const Tensors& golden, bool is_causal) {
    const auto rows = [&](const char* name) { return golden.at(name).size(0); };
    glassbox::TransformerChoices sizes;
    sizes.source_vocabulary = rows("source_embedding.weight");
    sizes.target_vocabulary = rows("target_embedding.weight");
    sizes.encoder.block = block_choices(golden, golden.at("generator.weight").size(-1),
                                        rows("encoder.layers.0.linear_net.0.weight"));
    sizes.decoder.block = sizes.encoder.block;
    sizes.encoder.layers = layers_in(golden, "encoder");
    sizes.decoder.layers = layers_in(golden, "decoder");
    glassbox::TransformerConfig config = golden_convention().config(sizes);
    config.decoder.block.causal = is_causal;
    return with_weights(glassbox::Transformer(config), golden);
}

class TransformerCheck : public Check {
  public:
    std::vector<std::string> paths_of(const std::string& step, const Tensors& golden) const override {
        if (step.ends_with("_mask")) return {step + "/visible"};
        if (step == "target/tokens") return {"targets"};
        if (step == "labels") return {"lesson/labels"};
        if (step == "memory") return {fmt::format("encoder/{}/norm2", layers_in(golden, "encoder") - 1)};
        if (step == "decoded") return {fmt::format("decoder/{}/norm3", layers_in(golden, "decoder") - 1)};
        if (step == "words") return {"words/token"};
        return {step};
    }

    bool is_clear(const Tensors& solved) const override {
        return !has_padding_inside(solved.at("translation"), pad, end);
    }

    glassbox::Computation computation(const Tensors& golden) const override {
        const auto model = model_of(golden, false), causal = model_of(golden, true);
        return {[=, source = golden.at("source"), sentence = golden.at("sentence"),
                 longest = number_of(golden.at("longest"))] {
                    const index_t S = source.size(0), T = sentence.size(0) - 1;
                    const Mask padding = Mask::lengths({words_in(source)});
                    const Tensor source_mask = mask_steps("source_mask", padding, S, S);
                    const Tensor memory = model->encode(source, Mask::given(source_mask));
                    const auto [targets, labels] = glassbox::shifted(sentence);
                    name_labels(labels);
                    const Mask both = Mask::causal() & Mask::lengths({words_in(targets)});
                    const Tensor target_mask = mask_steps("target_mask", both, T, T);
                    const Tensor memory_mask = mask_steps("memory_mask", padding, T, S);
                    (void)model->decode(targets, memory, Mask::given(target_mask), Mask::given(memory_mask));
                    name_words();
                    const Tensor written =
                        glassbox::written(*causal, reshape(source, {1, S}), longest - 1).tokens;
                    (void)glassbox::with_start(written);
                },
                "translation",
                [=] {
                    glassbox::Parameters all;
                    all("read", *model), all("write", *causal);
                    return all;
                }};
    }

  private:
    // The lesson's padding stays padding, where the loss of the library ignores −1.
    static void name_labels(const Tensor& labels) {
        const Scope scope("lesson");
        (void)named(labels_step, where(labels < 0.0, static_cast<double>(pad), labels));
    }
    // The most probable word at each position.
    static void name_words() {
        const glassbox::Trace* trace = glassbox::Trace::current();
        if (!trace) return;
        std::vector<real> words;
        for (const index_t word : argmax((*trace)["softmax"], -1)) words.push_back(static_cast<real>(word));
        const Scope scope("words");
        (void)named(glassbox::steps::decoding::token, Tensor({static_cast<index_t>(words.size())}, words));
    }
};

}  // namespace

const Check& the_check() {
    static const TransformerCheck check;
    return check;
}

}  // namespace lesson
