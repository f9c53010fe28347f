#include <fmt/format.h>

#include <glassbox/conventions/draw.h>
#include <glassbox/layers/linear.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "commands/shared/model_command.h"
#include "subject/words.h"

namespace glassbox::tracer::commands {
namespace {

namespace step = steps::token_embedding;

Subject make(const ModelBuilder& m, bool is_scaled) {
    if (m.input.has("source") && m.input["source"].rank() < 1)
        fail<UsageError>("--input: expected source of shape (…, T), got a single number");
    if (!m.input.has("source"))
        fail<UsageError>("--text: expected words, such as 'the cat sat', got nothing");
    m.read_tokens();
    const index_t words = m.vocabulary("weight", m.input.vocabulary, "source"),
                  d = m.size(m.settings.d_model, "weight", 1);
    check_memory("--dmodel", static_cast<double>(words) * static_cast<double>(d));
    const auto layer = std::make_shared<TokenEmbedding>(words, d);
    draw(*layer, m.stream);
    Subject subject;
    subject.title = "Token embedding";
    subject.header = {
        is_scaled ? "Embedding(tokens) = √d_model · table[tokens]" : "Embedding(tokens) = table[tokens]",
        fmt::format("{} words, d_model = {}", words, d)};
    add_words(subject.header, "text", m.input["source"], m.input.vocabulary, !m.input.words.empty());
    subject.model = layer;
    subject.parameters = [layer] { return parameters_of(*layer); };
    subject.result = is_scaled ? step::scaled.name : step::embedding.name;
    subject.forward = [=, layer = layer.get(), &input = m.input] {
        if (is_scaled) return (void)(*layer)(input["source"]);
        const Tensor tokens = named(step::tokens, input["source"]);
        (void)named(step::embedding, glassbox::embedding(layer->weight, tokens));
    };
    return subject;
}

ModelCommand model() {
    const auto is_scaled = std::make_shared<bool>(false);
    ModelCommand command;
    command.order = 17;
    command.name = "embedding";
    command.summary = "Token embedding: a row of a table for each word.";
    command.examples = {{"tracer embedding --text 'the cat sat' --dmodel 4", "A row for each word."},
                        {"tracer embedding --scaled", "Times √d_model, as in the paper."},
                        {"tracer embedding --grad", "Only the rows of words that occur have a gradient."},
                        {"tracer embedding --mistake embedding/one-early", "Words counted from 1."}};
    command.options = {.shared = {"--dmodel", "--text"},
                       .input_help = "source, token ids, by name",
                       .own_choices = [=](Options& o) {
                           o.flag("--scaled", *is_scaled, "Multiply by √d_model, as in the paper");
                       }};
    command.inputs = {"source"};
    command.defaults = {{.d_model = {4}}};
    command.defaults.text = "the cat sat";
    command.defaults.kind = ModelKind::decoder_only;
    command.make = [=](const ModelBuilder& m) { return make(m, *is_scaled); };
    return command;
}

}  // namespace

Command embedding() { return command_of(model); }

}  // namespace glassbox::tracer::commands
