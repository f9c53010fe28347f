#include <fmt/format.h>

#include <glassbox/decoding/beam_search.h>
#include <glassbox/decoding/decoding.h>
#include <glassbox/tensor/format.h>

#include "commands/shared/decoding_options.h"
#include "commands/shared/model_command.h"

namespace glassbox::tracer::commands {
namespace {

struct DecodeFlags {
    index_t words = 5, tokens = 3, end = -1;  // −1: no word ends a sentence
    DecodingConfig how;
    std::vector<index_t> prompt{1};
};

DecodingConfig config_of(const DecodeFlags& flags, const ModelSettings& s) {
    DecodingConfig config = flags.how;
    config.max_tokens = flags.tokens;
    config.end = flags.end;
    config.seed = s.seed;
    return config;
}

std::string choice(const DecodingConfig& c) {
    const char* base = c.penalty_form == LengthPenalty::wu ? "((5 + n) / 6)" : "n";
    if (c.beam > 1)
        return fmt::format("beam search: {} sequences, length penalty {}^{}{}", c.beam, base,
                           c.length_penalty, c.early ? fmt::format(", until {} are complete", c.beam) : "");
    return (c.temperature > 0 ? "drawn: " : "") + choices_text(c);
}

// (1, n)
Tensor as_row(const std::vector<index_t>& tokens) {
    return Tensor({1, static_cast<index_t>(tokens.size())}, std::vector<real>(tokens.begin(), tokens.end()));
}
std::vector<index_t> tokens_of(const Tensor& row) {
    const std::vector<real> ids = row.values();
    return {ids.begin(), ids.end()};
}

Subject make(const ModelBuilder& m, const DecodeFlags& flags) {
    const DecodingConfig config = config_of(flags, m.settings);
    const bool is_given = m.input.file != nullptr;
    const Shape& shape = is_given ? m.input["table"].shape() : Shape{flags.words, flags.words};
    if (shape.rank() != 2 || shape[0] != shape[1])
        fail<FileError>("{}: needs a table (V, V), a row of logits after each token, got {}",
                        m.settings.input.string(), shape);
    const index_t V = shape[0];
    check_memory(is_given ? "--input: table" : "--words",
                 static_cast<double>(V) * static_cast<double>(V + 20 * config.max_tokens * config.beam));
    if (flags.end >= V)
        fail<UsageError>("--end: expected a token from 0 to {}, or -1 for none, got {}", V - 1, flags.end);
    for (const index_t token : flags.prompt)
        if (token >= V) fail<UsageError>("--prompt: expected tokens from 0 to {}, got {}", V - 1, token);
    if (!is_given) m.input.set("table", m.stream.normal(shape));
    if (!m.input.has("prompt")) m.input.set("prompt", as_row(flags.prompt));
    Subject subject;
    subject.title = "Writing token by token";
    subject.header = {choice(config),
                      fmt::format("{} words; {} written{}; row i of the table has the logits after "
                                  "token i",
                                  V, counted(config.max_tokens, "token"),
                                  flags.end < 0 ? "" : fmt::format(" at most, up to token {}", flags.end))};
    subject.result = steps::decoding::sequence.name;
    subject.forward = [config, &input = m.input] {
        (void)glassbox::decode(input["table"], tokens_of(input["prompt"]), config);
    };
    return subject;
}

void declare_own(Options& o, DecodeFlags& flags) {
    DecodingConfig& how = flags.how;
    constexpr index_t largest = 1 << 20;
    o.value("--prompt", flags.prompt, {.help = "Tokens that are read first", .value_name = "N,N", .min = 0});
    o.advise("--text", "it reads tokens, numbers from 0 to below --words: --prompt 1,3 --words 5");
    o.value("--tokens", flags.tokens, {.help = "Number of tokens to write", .max = largest});
    o.value("--end", flags.end,
            {.help = "Token that ends a sequence", .default_text = "none", .min = -1, .max = largest});
    declare_choices(o, how);
    o.value("--beam", how.beam,
            {.help = "Number of sequences of a beam search", .default_text = "1", .max = largest});
    o.value("--length-penalty", how.length_penalty,
            {.help = "Exponent α of the beam search's length penalty"});
    o.value("--penalty-form", how.penalty_form,
            {.help = "The length penalty of n tokens: ((5 + n) / 6)^α, or n^α as Hugging Face's"});
    o.flag("--early", how.early, "End the search when --beam sequences are complete");
}

void check_own(const DecodeFlags& flags, const ModelSettings& s, const Options& o) {
    const DecodingConfig& how = flags.how;
    const bool draws = how.temperature > 0, is_beam = how.beam > 1;
    if (s.grad) fail<UsageError>("--grad: a token is chosen, which has no gradient");
    if (flags.prompt.empty()) fail<UsageError>("--prompt: expected a token or more, got none");
    if (!s.input.empty() && o.given("--words"))
        fail<UsageError>("--words: sizes come from the --input file: leave it out");
    for (const char* flag : {"--top-k", "--top-p"})
        if (!draws && o.given(flag))
            fail<UsageError>("{}: requires --temperature above 0, which draws", flag);
    check_choices(how);
    for (const char* flag : {"--length-penalty", "--penalty-form", "--early"})
        if (!is_beam && o.given(flag))
            fail<UsageError>("{}: requires --beam of at least 2, got {}", flag, how.beam);
    if (how.early && flags.end < 0)
        fail<UsageError>("--early: requires --end, with which a sequence is complete");
    if (!(how.length_penalty >= 0))
        fail<UsageError>("--length-penalty: expected a number from 0, got {}", how.length_penalty);
    for (const char* flag : {"--temperature", "--repetition-penalty"})
        if (is_beam && o.given(flag))
            fail<UsageError>("{}: cannot be combined with --beam {}", flag, how.beam);
}

ModelCommand model() {
    const auto flags = std::make_shared<DecodeFlags>();
    ModelCommand command;
    command.order = 92;
    command.name = "decode";
    command.summary = "Writing token by token: greedy, drawn with temperature, top k and top p, or by beams.";
    command.examples = {
        {"tracer decode --words 5 --tokens 3", "Greedy: always the most likely word."},
        {"tracer decode --temperature 0.8 --top-k 3 --top-p 0.9", "Drawn from what is left of each row."},
        {"tracer decode --beam 2", "Two sequences are continued; the best products win."},
        {"tracer decode --beam 2 --end 0 --tokens 5 --seed 3",
         "Token 0 ends a sequence; of those that have ended the best score wins."},
        {"tracer decode --repetition-penalty 1.5 --tokens 4",
         "What was written is less likely to come again."},
        {"tracer decode --temperature 0.8 --mistake tempered/multiplied",
         "The temperature works the wrong way."}};
    command.options = {.input_help = "table (V, V): row i has the logits after token i; and prompt (1, n)",
                       .own_sizes =
                           [flags](Options& o) {
                               o.value("--words", flags->words,
                                       {.help = "Number of words of the vocabulary, V", .max = 1 << 16});
                           },
                       .own_choices = [flags](Options& o) { declare_own(o, *flags); },
                       .without = {"--weights", "--save-weights", "--products", "--scalar"}};
    command.inputs = {"table", "prompt?"};
    command.check = [flags](const ModelSettings& s, const Options& o) { check_own(*flags, s, o); };
    command.make = [flags](const ModelBuilder& m) { return make(m, *flags); };
    return command;
}

}  // namespace

Command decode() { return command_of(model); }

}  // namespace glassbox::tracer::commands
