#include <fmt/format.h>
#include <fmt/ranges.h>

#include <glassbox/models/transformer.h>
#include <glassbox/tensor/format.h>

#include "commands/shared/model_command.h"
#include "subject/model_header.h"
#include "subject/words.h"

namespace glassbox::tracer::commands {
namespace {

constexpr const char *example_text = "je suis étudiant", *example_target = "i am a student";

// Where only the text was given, the target is not its translation.
const char* name_of_target(const ModelSettings& s) {
    const bool is_of_another = s.target == example_target && !s.text.empty() && s.text != example_text;
    return is_of_another ? "target so far, of the example (--target gives another)" : "target so far";
}

Subject translator(const ModelBuilder& m) {
    TransformerChoices config;
    config.encoder = m.stack("encoder.");
    config.decoder = m.stack("decoder.");
    config.source_vocabulary = m.vocabulary("source_embedding.weight", m.input.vocabulary, "source");
    config.target_vocabulary = m.vocabulary("target_embedding.weight", m.input.target_vocabulary, "target");
    const auto model = m.made<Transformer>(config);
    Subject subject;
    subject.title = "Encoder–decoder Transformer";
    subject.header =
        block_header(model->config().encoder.block, m.input["source"].size(-1), config.encoder.layers);
    subject.header[0] = glassbox::steps::transformer::formula;
    subject.header[1] += fmt::format("; the target has T = {}", m.input["target"].size(-1));
    add_words(subject.header, "source", m.input["source"], m.input.vocabulary, !m.input.words.empty());
    add_words(subject.header, name_of_target(m.settings), m.input["target"], m.input.target_vocabulary,
              !m.input.words.empty());
    subject.model = model;
    subject.parameters = [model] { return parameters_of(*model); };
    subject.forward = with_dropout(
        m, [model = model.get(), mask = m.mask(), target_mask = m.other_mask(), &input = m.input] {
            (*model)(input["source"], input["target"], mask, target_mask);
        });
    return subject;
}

// A decoder-only model, like GPT: reads the words so far and scores each possible next word.
Subject writer(const ModelBuilder& m) {
    const StackChoices config = m.stack("decoder.");
    const index_t words = m.vocabulary("embedding.weight", m.input.vocabulary, "source");
    const auto model = m.made<LanguageModel>({words, config});
    Subject subject;
    subject.title = "Decoder-only Transformer";
    subject.header = block_header(model->decoder.config().block, m.input["source"].size(-1), config.layers);
    subject.header[0] = glassbox::steps::transformer::decoder_only_formula;
    add_words(subject.header, "so far", m.input["source"], m.input.vocabulary, !m.input.words.empty());
    subject.model = model;
    subject.parameters = [model] { return parameters_of(*model); };
    subject.forward = with_dropout(
        m, [model = model.get(), mask = m.mask(), &input = m.input] { (*model)(input["source"], mask); });
    return subject;
}

// Source and target must form pairs.
void check_same_sentences(const ModelBuilder& m) {
    const Shape &source = m.input["source"].shape(), &target = m.input["target"].shape();
    if (source.leading(source.rank() - 1) != target.leading(target.rank() - 1))
        fail<FileError>("{}: source and target need the same leading axes: {}, {}", m.settings.input.string(),
                        source, target);
}

Subject make(const ModelBuilder& m) {
    if (m.settings.kind == ModelKind::encoder_only)
        fail<UsageError>("--kind: encoder-only models are shown by tracer predictor");
    for (const char* side : {"source", "target"})
        if (m.input.has(side) && m.input[side].rank() < 1)
            fail<UsageError>("--input: expected {} of shape (…, T), got a single number", side);
    if (!m.input.has("source"))
        fail<UsageError>("--text: expected words, such as 'je suis étudiant', got nothing");
    if (m.settings.kind == ModelKind::encoder_decoder && !m.input.has("target"))
        fail<UsageError>("--input: needs an array target as well as source, or --kind decoder-only");
    if (m.settings.kind == ModelKind::encoder_decoder) check_same_sentences(m);
    else if (!m.settings.other_lengths.empty())
        fail<UsageError>("--target-lengths: a decoder-only model has no target; --lengths is its text's");
    m.read_tokens();
    Subject subject = m.settings.kind == ModelKind::decoder_only ? writer(m) : translator(m);
    subject.result = "logits";
    subject.answers =
        m.settings.kind == ModelKind::decoder_only ? &m.input.vocabulary : &m.input.target_vocabulary;
    return subject;
}

ModelCommand model() {
    ModelCommand command;
    command.order = 90;
    command.name = "transformer";
    command.summary = "The complete encoder–decoder Transformer, from words to the next word.";
    command.examples = {
        {"tracer transformer --text 'je suis étudiant' --target 'i am a student'",
         "The main steps of each part."},
        {"tracer transformer --depth 1", "Only input and output: tokens, logits, softmax."},
        {"tracer transformer --scope decoder/0/cross_attn", "The target's attention to the source."},
        {"tracer transformer --text 'je suis étudiant|bonjour' --target 'i am|hello' --scope "
         "encoder/0/self_attn",
         "Two sentences: the shorter one is padded and masked."},
        {"tracer transformer --map maps.svg", "Every attention map, with words on the axes."},
        {"tracer transformer --kind decoder-only --text 'the cat sat'",
         "A decoder-only model: what comes next?"},
        {"tracer transformer --summary", "The tree of layers, with parameters and multiply–adds."}};
    command.options = {.shared = {"--dmodel", "--heads", "--dff", "--layers", "--text", "--target", "--norm",
                                  "--epsilon", "--activation", "--kind", "--dropout", "--final-norm",
                                  "--no-bias", "--mask", "--lengths", "--target-lengths"},
                       .input_help = "source and target by name"};
    command.inputs = {"source", "target?"};
    command.defaults = {{.d_model = {8}, .d_ff = {16}, .layers = {1}}};
    command.defaults.text = example_text;
    command.defaults.target = example_target;
    command.make = make;
    return command;
}

}  // namespace

Command transformer() { return command_of(model); }

}  // namespace glassbox::tracer::commands
