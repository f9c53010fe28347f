#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <glassbox/io/file.h>
#include <glassbox/io/text.h>
#include <glassbox/tasks/classified.h>
#include <glassbox/tasks/language_learner.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/words.h>
#include <glassbox/text/batch.h>
#include <glassbox/text/tokenizer.h>
#include <glassbox/text/unicode.h>

#include "tasks/grammar/grammar.h"
#include "tasks/shared/decoding_options.h"
#include "tasks/shared/models.h"
#include "tasks/shared/token_settings.h"
#include "tasks/task.h"

// Text continued (fourth document, "types of transformer models"): a decoder alone predicts the next token.
namespace glassbox {
namespace {

// ---- settings --------------------------------------------------------------------------------------------

struct LanguageSettings : TaskSettings {
    std::optional<std::string> corpus{};  // a file; none: the grammar's sentences
    TokenSettings tokens{.tokenizer = {.kind = TokenKind::characters}};
    index_t window = 96;
    DrawnSettings drawn{.examples = 12'000, .validation = 100, .test = 200};  // sentences, windows, windows

    LanguageSettings()
        : TaskSettings{.stack = {.d_model = 96, .heads = 4, .layers = 2},
                       .training = {{.epochs = 6, .batch = 16, .schedule = {.rate = 0.003, .warmup = 100}}}} {
    }
};

void declare(SettingTable& table, LanguageSettings& s) {
    constexpr SettingName corpus{"corpus", names::data, "FILE",
                                 "A text, or the English sentences of the grammar", ".txt"};
    table.without_effect(names::input_dropout, "requires an input network; this task has an embedding table");
    table.value(corpus, s.corpus, {.none = "grammar"});
    if (s.corpus)
        for (const SettingName* generated : {&names::examples, &names::data_seed})
            table.without_effect(*generated, "requires the grammar's sentences, not --corpus");
    declare(table, s.tokens);
    table.value(names::seq, s.window, {.max = 1 << 16});
    declare(table, s.drawn, 1 << 26);
}

TaskSizes sizes_of(const LanguageSettings& s) { return {.length = s.window, .drawn = s.drawn}; }

// ---- the text --------------------------------------------------------------------------------------------

// The lines of --corpus, or the English sentences of the grammar, all different: what follows from what is
// known there, and no file is needed.
std::vector<std::string> lines_of(const LanguageSettings& s) {
    std::vector<std::string> lines =
        s.corpus ? read_lines(*s.corpus) : grammar_pairs(s.drawn.examples, s.drawn.data_seed).target;
    for (std::string& line : lines) line += '\n';  // a token like others, if tokens are not words
    return lines;
}

// The last windows of a text are its test, those before them its validation.
struct TokenParts {
    std::vector<index_t> training, validation, test;
};

TokenParts parts_of(const std::vector<index_t>& tokens, const LanguageSettings& s) {
    const index_t window = s.window, count = static_cast<index_t>(tokens.size());
    const index_t test = s.drawn.test * window + 1, validation = s.drawn.validation * window + 1;
    if (count < test + validation + window + 1)
        fail<UsageError>(
            "--validation, --test: {} and {} windows of {} tokens leave none to train on: the text has {} "
            "tokens",
            s.drawn.validation, s.drawn.test, window, count);
    const auto begin = tokens.begin(), after_training = tokens.end() - test - validation;
    return {
        {begin, after_training}, {after_training, tokens.end() - test}, {tokens.end() - test, tokens.end()}};
}

LanguageModel model_of(const LanguageSettings& s, const Tokenizer& tokenizer) {
    return language_model_of(s, tokenizer.vocabulary().size(), s.tokens.tied != TiedTables::none);
}

// ---- training --------------------------------------------------------------------------------------------

// Σ −ln P(token) / tokens over all windows
double mean_surprise(const LanguageModel& model, const TextWindows& windows) {
    double loss = 0, tokens = 0;
    for (index_t begin = 0; begin < windows.size(); begin += 16) {
        std::vector<index_t> rows;
        for (index_t row = begin; row < std::min(begin + 16, windows.size()); ++row) rows.push_back(row);
        const Examples examples = windows.at(rows).to(model.generator.weight.device());
        loss += static_cast<double>(classified(model(examples["tokens"]), examples["labels"]).loss.item());
        tokens += static_cast<double>(examples["labels"].numel());
    }
    return loss / tokens;
}

// The same for the tokens' frequencies in `training`, after the previous `order` tokens: (n + 1) / (N + V).
double surprise_of_counts(const std::vector<index_t>& training, const std::vector<index_t>& test,
                          index_t order, index_t vocabulary) {
    std::unordered_map<index_t, double> seen, before;
    const auto context = [&](const std::vector<index_t>& tokens, std::size_t i) {
        return order == 0 ? 0 : tokens[i - 1];
    };
    for (std::size_t i = 1; i < training.size(); ++i) {
        ++seen[context(training, i) * vocabulary + training[i]];
        ++before[context(training, i)];
    }
    double sum = 0;
    for (std::size_t i = 1; i < test.size(); ++i)
        sum -= std::log((seen[context(test, i) * vocabulary + test[i]] + 1) /
                        (before[context(test, i)] + static_cast<double>(vocabulary)));
    return sum / static_cast<double>(test.size() - 1);
}

TestReport report(const LanguageModel& model, const Tokenizer& tokenizer, const TokenParts& parts,
                  index_t window) {
    const std::string text = tokenizer.decode(parts.test);
    const double characters = static_cast<double>(graphemes(text).size()),
                 tokens_per_character = static_cast<double>(parts.test.size()) / std::max(1.0, characters);
    TestReport report;
    report.lines = {fmt::format("{:<32} {:>12} {:>20}", "", "perplexity", "bits a character")};
    const auto row = [&](const char* name, const char* field, double surprise) {
        const double bits = surprise * tokens_per_character / std::log(2.0);
        report.lines.push_back(fmt::format("{:<32} {:>12.3f} {:>20.3f}", name, std::exp(surprise), bits));
        report.field(field, JsonObject{{"perplexity", std::exp(surprise)}, {"bits_per_character", bits}});
    };
    const index_t vocabulary = tokenizer.vocabulary().size();
    row("model", "model", mean_surprise(model, {parts.test, window}));
    row("counts after the last token", "bigrams",
        surprise_of_counts(parts.training, parts.test, 1, vocabulary));
    row("counts alone", "unigrams", surprise_of_counts(parts.training, parts.test, 0, vocabulary));
    return report;
}

TrainSetup make(const LanguageSettings& s) {
    const std::vector<std::string> lines = lines_of(s);
    const std::shared_ptr<const Tokenizer> tokenizer = learn_tokenizer(lines, s.tokens.tokenizer);
    const index_t window = s.window;
    const auto parts =
        std::make_shared<TokenParts>(parts_of(tokenizer->encode(fmt::format("{}", fmt::join(lines, ""))), s));
    auto learner = std::make_unique<LanguageLearner>(model_of(s, *tokenizer),
                                                     CrossEntropyOptions{s.training.label_smoothing});
    const index_t unknown = tokenizer->vocabulary().unknown();
    TrainSetup setup;
    setup.training = std::make_unique<TextWindows>(parts->training, window, unknown);
    setup.validation = std::make_unique<TextWindows>(parts->validation, window, unknown);
    setup.test = std::make_unique<TextWindows>(parts->test, window, unknown);
    setup.tested = [model = &learner->model, tokenizer, parts, window] {
        return report(*model, *tokenizer, *parts, window);
    };
    setup.learner = std::move(learner);
    setup.header = {s.corpus
                        ? fmt::format("the text of {}", display_name(*s.corpus))
                        : fmt::format("English sentences of a grammar; --corpus FILE reads another text"),
                    fmt::format("{} tokens to learn from, of {} {}, in windows of {}", parts->training.size(),
                                tokenizer->vocabulary().size(), name(s.tokens.tokenizer.kind), window),
                    "decoder of " + model_line(s.stack)};
    for (const auto& [tokens, of] :
         {std::pair(&parts->training, " of the training"), std::pair(&parts->test, " of the test")})
        if (std::string note = unknown_note(*tokenizer, {*tokens}, "", of); !note.empty())
            setup.header.push_back(std::move(note));
    setup.unit = "tokens";
    setup.kept = {{"tokenizer", tokenizer->json()}};
    return setup;
}

// ---- questions -------------------------------------------------------------------------------------------

void check_request(const PredictRequest& request) {
    (void)decoding_config(request, {});
    if (request.has("length")) parse_integer("--length", request.text("length"), 1);
}

struct TrainedWriter {
    std::shared_ptr<LanguageModel> model;
    std::shared_ptr<const Tokenizer> tokenizer;
    index_t window;
    DecodingConfig config;
};

struct Prompt {
    std::string text;
    std::vector<index_t> ids;
};

// Positions beyond the window have not been learned.
Prompt prompt_of(const TrainedWriter& trained, const std::string& text, const std::string& file) {
    if (!is_utf8(text)) fail<UsageError>("predict text: not UTF-8: '{}'", printable(text));
    Prompt prompt{text, {}};
    try {
        prompt.ids = trained.tokenizer->encode(text);
    } catch (const Error& error) {
        fail<UsageError>("predict text: '{}': {}", printable(text, 60), error.what());
    }
    const auto count = static_cast<index_t>(prompt.ids.size());
    if (count == 0)
        fail<UsageError>("predict text: expected the beginning of a text, got '{}'", printable(text));
    if (count >= trained.window)
        fail<UsageError>("predict text: expected fewer than {} tokens (--seq), as {} was trained on, got {}",
                         trained.window, file, count);
    return prompt;
}

DecodingConfig config_for(const TrainedWriter& trained, const Prompt& prompt, const PredictRequest& request) {
    DecodingConfig config = trained.config;
    const index_t rest = trained.window - static_cast<index_t>(prompt.ids.size());
    config.max_tokens = request.has("length") ? parse_integer("--length", request.text("length"), 1, rest)
                                              : std::min<index_t>(rest, 60);
    config.end = -1;
    return config;
}

Answer answer(const TrainedWriter& trained, const Prompt& prompt, const PredictRequest& request) {
    const Decoded decoded = decode(*trained.model, prompt.ids, config_for(trained, prompt, request));
    const auto text = [&](const std::vector<index_t>& ids) { return trained.tokenizer->decode(ids); };
    std::vector<index_t> all = prompt.ids;
    all.insert(all.end(), decoded.tokens.begin(), decoded.tokens.end());
    const auto unknowns =
        std::count(prompt.ids.begin(), prompt.ids.end(), trained.tokenizer->vocabulary().unknown());
    Answer answer;
    answer.say(text(all) + "\n");
    if (unknowns > 0)
        answer.say(fmt::format("{} of the beginning {} not learned, and read as {}\n",
                               counted(static_cast<index_t>(unknowns), "token"),
                               unknowns == 1 ? "was" : "were", Vocabulary::unknown_word));
    answer.field("input", prompt.text)
        .field("text", text(all))
        .field("unknown", static_cast<index_t>(unknowns))
        .field("log_probability", decoded.log_probability);
    say_tokens(answer, decoded, [&](index_t id) { return printable(trained.tokenizer->shown(id)); });
    if (trained.config.beam > 1) say_beams(answer, decoded, text);
    return answer;
}

// The pass that wrote the last token.
Prediction last_pass(const TrainedWriter& trained, const Prompt& prompt, const PredictRequest& request) {
    const Decoded decoded = decode(*trained.model, prompt.ids, config_for(trained, prompt, request));
    std::vector<index_t> so_far = prompt.ids;
    so_far.insert(so_far.end(), decoded.tokens.begin(), decoded.tokens.end() - 1);
    Prediction p;
    p.arrays = {{"x", padded({so_far}).tokens}};
    for (const index_t id : so_far) p.words.push_back(printable(trained.tokenizer->shown(id)));
    p.run = [model = trained.model](const NamedTensors& arrays) { (*model)(arrays[0].second); };
    p.parameters = [model = trained.model] { return parameters_of(*model); };
    p.result = "logits";
    p.notes = {"tokens: " + fmt::format("{}", fmt::join(p.words, " ")),
               "and now " + printable(trained.tokenizer->shown(decoded.tokens.back()))};
    for (index_t id = Vocabulary::first_word; id < trained.tokenizer->vocabulary().size(); ++id)
        p.choices.push_back(trained.tokenizer->vocabulary().word(id));
    return p;
}

// Every pass as the tokens were written: with a cache, of one position each after the first.
Prediction every_pass(const TrainedWriter& trained, const Prompt& prompt, const PredictRequest& request) {
    const DecodingConfig config = config_for(trained, prompt, request);
    Prediction p = last_pass(trained, prompt, request);
    p.result = fmt::format("step/{}/logits", config.max_tokens - 1);
    p.arrays = {{"x", padded({prompt.ids}).tokens}};
    p.words.resize(prompt.ids.size());
    p.run = [model = trained.model, config](const NamedTensors& arrays) {
        (void)decode(*model, ids_of(arrays[0].second), config);
    };
    return p;
}

Answerer answerer(const LanguageSettings& s, const PredictRequest& request) {
    TrainedWriter trained{nullptr, tokenizer_from_json(s.kept.text("tokenizer")), s.window,
                          decoding_config(request, {})};
    trained.model = std::make_shared<LanguageModel>(model_of(s, *trained.tokenizer));
    Answerer result;
    result.parameters = [model = trained.model] { return parameters_of(*model); };
    result.answers = [trained](const PredictRequest& asked) {
        std::vector<Answer> answers;
        for (const std::string& text : asked.inputs)
            answers.push_back(answer(trained, prompt_of(trained, text, asked.model), asked));
        return answers;
    };
    result.in_full = [trained](const PredictRequest& asked) {
        if (asked.inputs.size() > 1)
            fail<UsageError>("{}: shows one prediction, got {} texts", asked.in_full, asked.inputs.size());
        const Prompt prompt = prompt_of(trained, asked.inputs[0], asked.model);
        return asked.has("every-pass") ? every_pass(trained, prompt, asked)
                                       : last_pass(trained, prompt, asked);
    };
    return result;
}

}  // namespace

Task text() {
    Task task = task_with<LanguageSettings>(make, answerer, sizes_of);
    task.name = "text";
    task.summary = "Continues a text, token by token.";
    task.order = 11;
    task.example = "once";
    task.input_name = "the beginning of a text";
    add_decoding_options(task);
    task.options.push_back({"length", "N", "How many tokens to write"});
    task.check = check_request;
    return task;
}

}  // namespace glassbox
