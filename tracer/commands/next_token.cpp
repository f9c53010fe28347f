#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <glassbox/decoding/decoding.h>
#include <glassbox/decoding/sampling.h>
#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>

#include "commands/shared/decoding_options.h"
#include "commands/shared/model_command.h"

namespace glassbox::tracer::commands {
namespace {

std::vector<std::vector<index_t>> rows_of(const Tensor& tokens) {
    const std::vector<real> ids = tokens.values();
    const auto n = tokens.size(-1);
    std::vector<std::vector<index_t>> rows;
    for (auto at = ids.begin(); at != ids.end(); at += n) rows.emplace_back(at, at + n);
    return rows;
}

// [penalised], then [tempered] [top_k] [top_p] next
void show(const ModelInput& input, const DecodingConfig& how) {
    namespace step = steps::sampling;
    Tensor logits = named(step::logits, input["logits"]);  // (rows, vocabulary)
    if (how.repetition_penalty != 1) {
        const Tensor tokens = named(step::tokens, input["tokens"]);  // (rows, n)
        logits = named(step::penalised, penalised(logits, rows_of(tokens), how.repetition_penalty));
    }
    (void)next_probabilities(logits, how);
}

// Words that were there: of each row the first ones of another order.
Tensor drawn_tokens(const ModelBuilder& m, index_t rows, index_t words) {
    constexpr index_t count = 3;
    std::vector<real> ids = m.stream.uniform({rows, count}, 0, static_cast<double>(words)).values();
    for (real& id : ids) id = std::min(std::floor(id), static_cast<real>(words - 1));
    return Tensor({rows, count}, ids);
}

Subject make(const ModelBuilder& m, const DecodingConfig& how) {
    const bool is_given = m.input.file != nullptr;
    const Shape shape =
        is_given ? m.input["logits"].shape() : Shape{m.settings.seq, m.settings.classes.value};
    if (shape.rank() != 2)
        fail<FileError>("{}: needs logits of shape (rows, words), got {}", m.settings.input.string(), shape);
    check_memory(is_given ? "--input: logits" : "--seq, --classes", static_cast<double>(shape.numel()) * 30);
    if (!is_given) m.input.set("logits", m.stream.normal(shape));
    if (how.repetition_penalty != 1 && !m.input.has("tokens"))
        m.input.set("tokens", drawn_tokens(m, shape[0], shape[1]));
    Subject subject;
    subject.title = "The probability of each word to come next";
    subject.header = {
        "next = softmax(top p(top k(logits / temperature)))",
        fmt::format("{} of {} words; {}", counted(shape[0], "row"), shape[1], choices_text(how))};
    subject.result = steps::decoding::next.name;
    subject.forward = [how, &input = m.input] { show(input, how); };
    return subject;
}

ModelCommand model() {
    const auto how = std::make_shared<DecodingConfig>();
    how->temperature = 1;
    ModelCommand command;
    command.order = 91;
    command.name = "next-token";
    command.summary = "From a row of logits to probabilities: temperature, top k, top p, repetition penalty.";
    command.examples = {
        {"tracer next-token --temperature 0.8 --top-k 3 --top-p 0.9",
         "What can be drawn, and how likely it is."},
        {"tracer next-token --repetition-penalty 1.5", "Words that were there are less likely."},
        {"tracer next-token --temperature 0.8 --mistake tempered/multiplied",
         "The temperature the wrong way."}};
    command.options = {.shared = {"--seq", "--classes"},
                       .input_help = "logits (rows, words), and tokens (rows, n), those that were there",
                       .own_choices = [how](Options& o) { declare_choices(o, *how); },
                       .without = {"--weights", "--save-weights", "--products", "--scalar"}};
    command.inputs = {"logits", "tokens?"};
    command.defaults = {{.seq = 2, .classes = {5}}};
    command.check = [how](const ModelSettings& s, const Options&) {
        if (s.grad) fail<UsageError>("--grad: what can be drawn is chosen, which has no gradient");
        check_choices(*how);
    };
    command.make = [how](const ModelBuilder& m) { return make(m, *how); };
    return command;
}

}  // namespace

Command next_token() { return command_of(model); }

}  // namespace glassbox::tracer::commands
