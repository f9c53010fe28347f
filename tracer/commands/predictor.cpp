#include <fmt/format.h>

#include <glassbox/models/predictor.h>
#include <glassbox/ops/ops.h>

#include "commands/shared/model_command.h"
#include "subject/model_header.h"
#include "subject/words.h"

namespace glassbox::tracer::commands {
namespace {

// With --text x is one-hot, of the vocabulary's width.
void make_input(const ModelBuilder& m, index_t d_in) {
    if (m.input.has("source")) m.input.arrays.emplace_back("x", one_hot(m.input["source"], d_in));
    else m.sequence("x", m.settings.seq, d_in);
}

// A file that has the token in front has been trained with it.
Pooling pooling_of(const ModelBuilder& m) {
    using enum Pooling;
    const Pooling given = m.settings.pooling;
    if (!m.weights.has("cls_token")) return given;
    if (given != none && given != cls)
        fail<UsageError>("--pooling: {} has a cls_token, which requires cls, got {}",
                         m.settings.weights.string(), name(given));
    return cls;
}

Subject make(const ModelBuilder& m) {
    const Convention& c = m.convention;
    PredictorChoices config;
    config.encoder.block = m.block("transformer.layers.0.");
    config.encoder.layers = m.layers("transformer.layers");
    const index_t words = m.input.vocabulary.size();
    config.d_in = m.input.has("source") ? words : m.width("x", m.settings.d_in, "input_net.1.weight", 1);
    const char* last = c.deep_output_net ? "output_net.4.weight" : "output_net.weight";
    Size classes = m.settings.classes;
    if (!classes.is_given && m.input.has("source")) classes.value = words;
    config.classes = m.size(classes, last, 0);
    config.positional_encoding = m.settings.positions == Positions::yes;
    config.pooling = pooling_of(m);
    config.input_dropout = config.encoder.block.dropout;
    make_input(m, config.d_in);

    const auto predictor = m.made<Predictor>(config);
    Subject subject;
    subject.title = config.pooling == Pooling::none ? "Predictor" : "Predictor of the sequence as a whole";
    subject.header = predictor_header(predictor->config(), positions(m.input["x"]));
    const bool classes_are_words = config.pooling == Pooling::none && config.classes == words;
    if (m.input.has("source"))
        add_words(subject.header, "words", m.input["source"], m.input.vocabulary, !m.input.words.empty(),
                  classes_are_words ? "token ids and classes" : "token ids");
    if (m.input.has("source") && classes_are_words) subject.answers = &m.input.vocabulary;
    subject.classifies = m.input.has("source");
    subject.model = predictor;
    subject.parameters = [predictor] { return parameters_of(*predictor); };
    subject.result = "logits";
    subject.forward = with_dropout(m, [predictor = predictor.get(), mask = m.mask(), &input = m.input] {
        (*predictor)(input["x"], mask);
    });
    return subject;
}

ModelCommand model() {
    ModelCommand command;
    command.order = 60;
    command.name = "predictor";
    command.summary =
        "Predicts a class for each element: input network, positional encoding, encoder, output network.";
    command.examples = {
        {"tracer predictor --depth 1", "Only the model's main steps."},
        {"tracer predictor --text 'to be or not to be' --only logits,softmax", "Words, one-hot encoded."},
        {"tracer predictor --pooling cls --only cls,pooled,logits",
         "One answer for the sequence as a whole."},
        {"tracer predictor --positions no", "Without positional encoding: a set, not a sequence."},
        {"tracer predictor --summary", "The tree of layers, with parameters and multiply–adds."},
        {"tracer predictor --save-weights model.safetensors", "The initial weights, for another program."}};
    command.options = {.shared = {"--seq", "--batch", "--din", "--dmodel", "--heads", "--dff", "--layers",
                                  "--classes", "--text", "--norm", "--epsilon", "--activation", "--pooling",
                                  "--positions", "--dropout", "--no-bias", "--mask", "--lengths"},
                       .input_help = "x by name"};
    command.inputs = {"x"};
    command.defaults = {{.d_in = {5}, .d_model = {4}, .d_ff = {8}, .layers = {1}, .classes = {3}}};
    command.make = make;
    return command;
}

}  // namespace

Command predictor() { return command_of(model); }

}  // namespace glassbox::tracer::commands
