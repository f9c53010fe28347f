#include "tasks/shared/number_tasks.h"

#include <algorithm>

#include <glassbox/decoding/decoding.h>
#include <glassbox/tasks/copying.h>
#include <glassbox/tasks/sequence_learner.h>
#include <glassbox/tensor/format.h>
#include <glassbox/text/batch.h>

#include "tasks/shared/decoding_options.h"
#include "tasks/shared/models.h"

namespace glassbox {
namespace {

struct WritingSettings : TaskSettings {
    index_t longest = 10, symbols = 10;
    DrawnSettings drawn{.examples = 10'000, .validation = 500, .test = 1000};

    WritingSettings()
        : TaskSettings{
              .stack = {.d_model = 32, .heads = 2, .layers = 1},
              .training = {{.epochs = 15, .batch = 64, .schedule = {.rate = 0.003, .warmup = 100}}}} {}
};

void declare(SettingTable& table, WritingSettings& s) {
    table.without_effect(names::input_dropout, "requires an input network; this task has embedding tables");
    table.value(names::seq, s.longest, {.max = 250});
    table.value(names::categories, s.symbols, {.min = 2, .max = 200});
    declare(table, s.drawn, 1 << 28);
}

index_t shortest_of(index_t longest) { return std::min<index_t>(3, longest); }

Transformer model_of(const WritingSettings& s) {
    const index_t vocabulary = CopyingData::first_symbol + s.symbols;
    return transformer_of(s, vocabulary, vocabulary);
}

TrainSetup make(Writing writing, const WritingSettings& s) {
    TrainSetup setup;
    setup.draw(s.drawn, [&](index_t count, std::uint64_t seed) {
        CopyingConfig config;
        config.writing = writing;
        config.count = count;
        config.symbols = s.symbols;
        config.longest = s.longest;
        config.shortest = shortest_of(config.longest);
        config.seed = seed;
        return std::make_unique<CopyingData>(config);
    });
    setup.learner =
        std::make_unique<SequenceLearner>(model_of(s), CrossEntropyOptions{s.training.label_smoothing});
    setup.header = {fmt::format("sequences of up to {} symbols (of {}), to be {} token by token", s.longest,
                                s.symbols, writing == Writing::copy ? "copied" : "sorted"),
                    "encoder and decoder of " + model_line(s.stack)};
    setup.unit = "tokens";
    return setup;
}

// ---- prediction ------------------------------------------------------------------------------------------

struct TrainedWriter {
    Writing writing;
    std::shared_ptr<Transformer> model;
    index_t symbols, longest;

    Decoded written(const Numbers& source) const {
        return decode(*model, source, {.max_tokens = longest + 1});
    }
};

// The symbols as tokens, followed by <end>.
Numbers tokens_of(Numbers numbers) {
    for (index_t& number : numbers) number += CopyingData::first_symbol;
    numbers.push_back(Vocabulary::end);
    return numbers;
}

std::string token_name(index_t token) { return token_text({token}); }

Numbers expected_of(Writing writing, Numbers numbers) {
    if (writing == Writing::sort) std::sort(numbers.begin(), numbers.end());
    return tokens_of(numbers);
}

// Warnings about the sequence as a whole.
std::string remarks(const TrainedWriter& trained, const Numbers& numbers, const Decoded& decoded) {
    std::string text;
    const index_t shortest = shortest_of(trained.longest);
    if (static_cast<index_t>(numbers.size()) < shortest)
        text += fmt::format("shorter than any sequence the model was trained on ({} to {} symbols)\n",
                            shortest, trained.longest);
    return text + without_end(decoded);
}

Answer answer(const TrainedWriter& trained, const Numbers& numbers) {
    const Decoded decoded = trained.written(tokens_of(numbers));
    const Numbers expected = expected_of(trained.writing, numbers);
    const bool right = decoded.tokens == expected;
    Answer answer;
    answer.say(fmt::format("{}  →  {}   ", spaced(numbers), token_text(decoded.tokens)))
        .judge(right, "wrong: expected " + token_text(expected))
        .say("\n" + remarks(trained, numbers, decoded))
        .field("input", numbers);
    say_tokens(answer, decoded, token_name);
    return answer.field("ended", decoded.ended).field("right", right);
}

std::vector<std::string> token_names(const Numbers& tokens) {
    std::vector<std::string> names;
    for (const index_t token : tokens) names.push_back(token_name(token));
    return names;
}

// The pass that wrote the last token. With the causal mask its earlier rows equal those of the earlier
// passes.
Prediction last_pass(const TrainedWriter& trained, const Numbers& numbers) {
    const Numbers source = tokens_of(numbers), written = trained.written(source).tokens;
    Numbers so_far = {Vocabulary::start};
    so_far.insert(so_far.end(), written.begin(), written.end() - 1);
    Prediction p;
    p.arrays = {{"source", padded({source}).tokens}, {"target", padded({so_far}).tokens}};
    p.words = token_names(source), p.target_words = token_names(so_far), p.written = token_names(written);
    p.run = [model = trained.model](const NamedTensors& arrays) {
        (*model)(arrays[0].second, arrays[1].second);
    };
    p.parameters = [model = trained.model] { return parameters_of(*model); };
    p.result = "logits";
    p.model = trained.model->config();
    p.notes = {"source: " + token_text(source),
               "written so far: " + token_text(so_far) + ", and now " + p.written.back()};
    for (index_t n = 0; n < trained.symbols; ++n) p.choices.push_back(std::to_string(n));
    p.map = Prediction::Map::cross;
    return p;
}

Answerer answerer(Writing writing, const WritingSettings& s) {
    const TrainedWriter trained{writing, std::make_shared<Transformer>(model_of(s)), s.symbols, s.longest};
    return number_answerer(
        {name(writing), trained.symbols, trained.longest},
        [model = trained.model] { return parameters_of(*model); },
        [trained](const Numbers& numbers) { return answer(trained, numbers); },
        [trained](const Numbers& numbers) { return last_pass(trained, numbers); });
}

}  // namespace

Task writing_task(Writing writing) {
    Task task = task_with<WritingSettings>(
        [writing](const WritingSettings& s) { return make(writing, s); },
        [writing](const WritingSettings& s, const PredictRequest&) { return answerer(writing, s); },
        [](const WritingSettings& s) {
            return TaskSizes{.length = s.longest, .drawn = s.drawn, .decodes = true};
        });
    task.name = name(writing);
    task.example = "2 5 3 7 1";
    return task;
}

}  // namespace glassbox
