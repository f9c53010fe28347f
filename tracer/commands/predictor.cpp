#include <fmt/format.h>

#include <glassbox/models/predictor.h>
#include <glassbox/ops/embedding.h>

#include "cli/plural.h"
#include "commands/commands.h"
#include "subject/block_header.h"
#include "subject/model.h"
#include "subject/words.h"

namespace tracer {
namespace {

std::string formula(const glassbox::PredictorConfig& config) {
    using glassbox::Pooling;
    const bool front = config.pooling == Pooling::cls;
    std::string h = front ? "[CLS] ‖ InputNet(x)" : "InputNet(x)";
    if (config.positional_encoding) h = (front ? "(" + h + ")" : h) + " + PE";
    const std::string encoded = fmt::format("Encoder({})", h);
    if (config.pooling == Pooling::none) return fmt::format("logits = OutputNet({})", encoded);
    if (front) return fmt::format("logits = OutputNet({}[0])", encoded);
    return fmt::format("logits = OutputNet({}({}))", name(config.pooling), encoded);
}

}  // namespace

std::vector<std::string> predictor_header(const glassbox::PredictorConfig& config, index_t T) {
    std::vector<std::string> lines = block_header(config.encoder.block, T, config.encoder.layers);
    lines[0] = formula(config);
    lines.push_back(fmt::format("d_in = {}, {}{}", config.d_in, counted(config.classes, "class", "classes"),
                                config.positional_encoding ? "" : ", no positional encoding"));
    return lines;
}

namespace {

// With --text x is one-hot: as wide as the vocabulary.
void make_input(const Making& m, index_t d_in) {
    if (m.input.has("source")) m.input.arrays.emplace_back("x", glassbox::one_hot(m.input["source"], d_in));
    else m.sequence("x", m.size("--seq", m.typed.seq, 3), d_in);
}

Subject make(const Making& m) {
    const glassbox::Convention& c = m.convention;
    glassbox::PredictorChoices config;
    config.encoder.block = m.block("transformer.layers.0.", 4, 2, 8);
    config.encoder.layers = m.size("--layers", m.typed.layers, m.weights.blocks("transformer.layers", 1));
    const index_t words = m.input.vocabulary.size();
    config.d_in = m.input.has("source")
                      ? words
                      : m.width("x", "--din", m.typed.din, m.weights.size("input_net.1.weight", 1, c, 5));
    const char* last = c.deep_output_net ? "output_net.4.weight" : "output_net.weight";
    config.classes =
        m.size("--classes", m.typed.classes, m.weights.size(last, 0, c, m.input.has("source") ? words : 3));
    config.positional_encoding = m.typed.positions != "no";
    config.pooling = glassbox::parse_pooling(m.weights.has("cls_token") ? "cls" : m.typed.pooling);
    config.input_dropout = config.encoder.block.dropout;
    make_input(m, config.d_in);

    const auto predictor = m.made<glassbox::Predictor>(config);
    Subject subject;
    subject.title =
        config.pooling == glassbox::Pooling::none ? "Predictor" : "Predictor of the sequence as a whole";
    subject.header = predictor_header(predictor->config(), positions(m.input["x"]));
    const bool is_one_a_word = config.pooling == glassbox::Pooling::none && config.classes == words;
    if (m.input.has("source"))
        add_words(subject.header, "words", m.input["source"], m.input.vocabulary, !m.input.words.empty(),
                  is_one_a_word ? "by number, and by class" : "by number");
    if (m.input.has("source") && is_one_a_word) subject.answers = &m.input.vocabulary;
    subject.classifies = m.input.has("source");
    subject.model = predictor;
    subject.parameters = [predictor] { return parameters_of(*predictor); };
    subject.result = "logits";
    subject.forward = trained(m, [predictor = predictor.get(), mask = m.mask(), &input = m.input] {
        (*predictor)(input["x"], mask);
    });
    return subject;
}

}  // namespace

ModelCommand predictor_command() {
    ModelCommand command;
    command.name = "predictor";
    command.summary =
        "Input network, positional encoding, encoder, output network: a class for every element.";
    command.examples = {
        {"tracer predictor --depth 1", "The way through the model in large steps."},
        {"tracer predictor --text 'to be or not to be' --only logits,softmax", "One-hot words."},
        {"tracer predictor --pooling cls --only cls,pooled,logits",
         "One answer for the sequence as a whole."},
        {"tracer predictor --positions no", "Without positional encoding: a set, not a sequence."},
        {"tracer predictor --summary", "The tree of layers, with parameters and multiply–adds."},
        {"tracer predictor --save-weights model.safetensors", "Its first weights, for another program."}};
    command.options = {"--seq",       "--batch",   "--din",     "--dmodel", "--heads",      "--dff",
                       "--layers",    "--classes", "--text",    "--norm",   "--activation", "--pooling",
                       "--positions", "--dropout", "--no-bias", "--mask",   "--lengths",    "--map"};
    command.inputs = {"x"};
    command.defaults.seq = "3";
    command.make = make;
    return command;
}

}  // namespace tracer
