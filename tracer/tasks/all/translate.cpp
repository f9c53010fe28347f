#include <algorithm>
#include <set>

#include <glassbox/io/text.h>
#include <glassbox/tasks/sequence_learner.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/words.h>
#include <glassbox/text/batch.h>
#include <glassbox/text/bleu.h>

#include "tasks/grammar/grammar.h"
#include "tasks/shared/decoding_options.h"
#include "tasks/shared/models.h"
#include "tasks/shared/token_settings.h"
#include "tasks/shared/translation_corpus.h"
#include "tasks/shared/translation_report.h"
#include "tasks/task.h"

// Translation (fourth document): the encoder reads a sentence, the decoder writes it in the other language.
namespace glassbox {
namespace {

// ---- training --------------------------------------------------------------------------------------------

std::string counted_pairs(const EncodedPairs& all) {
    return counted(static_cast<index_t>(all.source.size()), "pair");
}

// `option`: " (--seq)", if the length is an option of the command
std::string left_out_text(index_t count, index_t longest, const char* option) {
    return fmt::format("{} with more than {}{} {} left out", counted(count, "pair"),
                       counted(longest, "token"), option, count == 1 ? "is" : "are");
}

// Without the pairs of which one sentence is too long, or empty.
EncodedPairs encoded(SentencePairs texts, const Languages& languages, index_t longest, index_t& left_out) {
    EncodedPairs all;
    all.source = languages.source.encode(texts.source), all.target = languages.target.encode(texts.target);
    const auto fits = [&](const std::vector<index_t>& sentence) {
        return !sentence.empty() && static_cast<index_t>(sentence.size()) <= longest;
    };
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.source.size(); ++i) {
        if (!fits(all.source[i]) || !fits(all.target[i])) continue;
        std::swap(all.source[kept], all.source[i]), std::swap(all.target[kept], all.target[i]);
        std::swap(texts.source[kept], texts.source[i]), std::swap(texts.target[kept], texts.target[i]);
        ++kept;
    }
    left_out += static_cast<index_t>(all.source.size() - kept);
    for (auto* ids : {&all.source, &all.target}) ids->resize(kept);
    for (auto* side : {&texts.source, &texts.target}) side->resize(kept);
    all.texts = std::move(texts);
    return all;
}

std::unique_ptr<DataSet> data_of(const EncodedPairs& pairs, const Languages& languages) {
    return std::make_unique<TokenPairs>(pairs.source, pairs.target, languages.target.unknown());
}

std::vector<std::string> header(const TranslationSettings& s, const TranslationCorpus& corpus,
                                const Languages& languages, const EncodedPairs& training,
                                const EncodedPairs& validation, index_t left_out) {
    std::vector<std::string> lines = corpus.notes;
    lines.push_back(fmt::format("{} to learn from; {} {} to be read and {} to be written",
                                counted_pairs(training), languages.source.size(),
                                name(s.tokens.tokenizer.kind), languages.target.size()));
    if (left_out > 0) lines.push_back(left_out_text(left_out, s.longest, " (--seq)"));
    for (const auto& [pairs, of] :
         {std::pair(&training, " of the training"), std::pair(&validation, " of the validation")})
        for (std::string& note : unknown_notes(languages, *pairs, of)) lines.push_back(std::move(note));
    lines.push_back("encoder and decoder of " + model_line(s.stack));
    return lines;
}

TrainSetup make(const TranslationSettings& s) {
    TranslationCorpus corpus = translation_corpus(s);
    const auto languages = std::make_shared<Languages>(Languages::learned(corpus.training, s));
    const index_t longest = s.longest;
    index_t left_out = 0;
    const auto part = [&](SentencePairs& texts) {
        auto pairs = std::make_shared<EncodedPairs>(encoded(std::move(texts), *languages, longest, left_out));
        if (pairs->source.empty())
            fail<UsageError>("--seq: no sentence has at most {}", counted(longest, "token"));
        return pairs;
    };
    const auto training = part(corpus.training), validation = part(corpus.validation),
               test = part(corpus.test);
    TrainSetup setup;
    setup.training = data_of(*training, *languages), setup.validation = data_of(*validation, *languages);
    setup.test = data_of(*test, *languages);
    auto learner = std::make_unique<SequenceLearner>(translation_model(s, *languages),
                                                     CrossEntropyOptions{s.training.label_smoothing});
    setup.tested = [model = &learner->model, languages, training, test, longest] {
        return translation_report(*model, *languages, *test, training.get(),
                                  {.max_tokens = longest + 1, .keep_probabilities = false});
    };
    setup.learner = std::move(learner);
    setup.header = header(s, corpus, *languages, *training, *validation, left_out);
    setup.unit = "tokens";
    setup.kept = languages->to_keep();
    return setup;
}

// ---- questions -------------------------------------------------------------------------------------------

void check_request(const PredictRequest& request) {
    (void)decoding_config(request, {});
    if (request.has("evaluate") && !request.inputs.empty())
        fail<UsageError>("--evaluate: takes its sentences from the file, got also '{}'",
                         printable(request.inputs[0]));
    if (request.has("evaluate") && !request.in_full.empty())
        fail<UsageError>("--evaluate: cannot be combined with {}", request.in_full);
    if (!request.has("evaluate") && request.inputs.empty())
        fail<UsageError>(
            "predict translate: expected a sentence: tracer predict translate 'je suis étudiant'");
}

struct TrainedTranslator {
    std::shared_ptr<Transformer> model;
    Languages languages;
    index_t longest;
    DecodingConfig config;
    bool reads_grammar = false;  // trained on its sentences, drawn as these
    DrawnSettings drawn{};
};

// A sentence as it was asked, and the ids that the encoder reads.
struct SourceSentence {
    std::string text;
    std::vector<std::string> tokens;  // as they were written
    std::vector<index_t> ids;         // with <end>
};

SourceSentence question_of(const TrainedTranslator& trained, const std::string& text,
                           const std::string& file) {
    if (!is_utf8(text)) fail<UsageError>("predict translate: not UTF-8: '{}'", printable(text));
    SourceSentence question{text, {}, {}};
    try {
        question.tokens = trained.languages.source.tokenizer->tokens(trained.languages.source.read(text));
        question.ids = trained.languages.source.encode(text);
    } catch (const Error& error) {
        fail<UsageError>("predict translate: '{}': {}", printable(text, 60), error.what());
    }
    if (question.ids.empty())
        fail<UsageError>("predict translate: expected a sentence with words, got '{}'", printable(text));
    if (static_cast<index_t>(question.ids.size()) > trained.longest)
        fail<UsageError>("predict translate: expected at most {} (--seq), as {} was trained on, got {}",
                         counted(trained.longest, "token"), file, question.ids.size());
    question.ids = with_end(std::move(question.ids));
    return question;
}

// The tokens that the model has never seen, each once.
std::vector<std::string> unknown_words(const TrainedTranslator& trained, const SourceSentence& question) {
    const index_t unknown = trained.languages.source.tokenizer->vocabulary().unknown();
    std::vector<std::string> words;
    for (std::size_t i = 0; i < question.tokens.size(); ++i)
        if (question.ids[i] == unknown &&
            std::find(words.begin(), words.end(), question.tokens[i]) == words.end())
            words.push_back(question.tokens[i]);
    return words;
}

// Those of these words that are in none of the grammar's sentences. A few have most words: all are made only
// for a rare or a foreign one.
std::vector<std::string> not_in_grammar(std::vector<std::string> words, const TrainedTranslator& trained) {
    for (const index_t count : {index_t(2000), trained.drawn.examples}) {
        std::set<std::string> known;
        for (const std::string& sentence : grammar_pairs(count, trained.drawn.data_seed).source)
            for (std::string& word : words_13a(trained.languages.source.read(sentence)))
                known.insert(std::move(word));
        std::erase_if(words, [&](const std::string& word) { return known.contains(word); });
        if (words.empty()) break;
    }
    return words;
}

// Why an answer means nothing; "" where the grammar has all words. (Any text has pieces of words that were
// trained.)
std::string not_of_grammar(const TrainedTranslator& trained, const SourceSentence& question) {
    constexpr index_t too_many = 200'000;  // the file may name any number
    if (!trained.reads_grammar || trained.drawn.examples > too_many) return "";
    std::vector<std::string> words;
    for (std::string& word : words_13a(trained.languages.source.read(question.text)))
        if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(std::move(word));
    words = not_in_grammar(std::move(words), trained);
    if (words.empty()) return "";
    return fmt::format("it was trained on French sentences without {}: this translation means nothing",
                       fmt::join(words, ", "));
}

Answer answer(const TrainedTranslator& trained, const SourceSentence& question) {
    const Tokenizer& target = *trained.languages.target.tokenizer;
    const Decoded decoded = decode(*trained.model, question.ids, trained.config);
    const auto text = [&](const std::vector<index_t>& ids) { return target.decode(ids); };
    const std::vector<std::string> unknown = unknown_words(trained, question);
    Answer answer;
    if (trained.reads_grammar) answer.about = "French to English, of a small grammar";
    answer.say(fmt::format("{}  →  {}\n", question.text, text(decoded.tokens)));
    const std::string warning = not_of_grammar(trained, question);
    if (!warning.empty()) answer.say(warning + "\n");
    if (!unknown.empty())
        answer.say(fmt::format("not among the words that the model learned, read as {}: {}\n",
                               Vocabulary::unknown_word, fmt::join(unknown, " ")));
    answer.say(without_end(decoded));
    if (!warning.empty()) answer.field("warning", warning);
    answer.field("input", question.text)
        .field("tokens", question.tokens)
        .field("unknown", unknown)
        .field("translation", text(decoded.tokens))
        .field("ended", decoded.ended)
        .field("log_probability", decoded.log_probability);
    say_tokens(answer, decoded, [&](index_t id) { return target.shown(id); });
    if (trained.config.beam > 1) say_beams(answer, decoded, text);
    return answer;
}

// ---- a file of pairs -------------------------------------------------------------------------------------

Answer evaluation(const TrainedTranslator& trained, const std::string& file) {
    index_t left_out = 0;
    const SentencePairs pairs = read_pairs(file);
    const EncodedPairs test = encoded(pairs, trained.languages, trained.longest, left_out);
    if (test.source.empty())
        fail<UsageError>("--evaluate: {} has no pair with at most {}", file,
                         counted(trained.longest, "token"));
    DecodingConfig config = trained.config;
    config.keep_probabilities = config.beam > 1;
    const TestReport report = translation_report(*trained.model, trained.languages, test, nullptr, config);
    Answer answer;
    answer.say(fmt::format("{} of {}\n", counted_pairs(test), file));
    for (const std::string& note : pairs.notes) answer.say(note + "\n");
    if (left_out > 0) answer.say(left_out_text(left_out, trained.longest, "") + "\n");
    for (const std::string& line : report.lines) answer.say(line + "\n");
    answer.field("pairs", static_cast<index_t>(test.source.size())).field("left_out", left_out);
    for (const auto& [name, json] : report.fields) answer.field(name, JsonValue::raw(json));
    return answer;
}

// ---- one pass in full ------------------------------------------------------------------------------------

std::vector<std::string> shown(const Tokenizer& tokenizer, const std::vector<index_t>& ids) {
    std::vector<std::string> words;
    for (const index_t id : ids) words.push_back(tokenizer.shown(id));
    return words;
}

// The pass that wrote the last token. With the causal mask its earlier rows equal those of the earlier
// passes.
Prediction last_pass(const TrainedTranslator& trained, const SourceSentence& question) {
    const Tokenizer& target = *trained.languages.target.tokenizer;
    const std::string warning = not_of_grammar(trained, question);
    const std::vector<index_t> written = decode(*trained.model, question.ids, trained.config).tokens;
    std::vector<index_t> so_far = {Vocabulary::start};
    so_far.insert(so_far.end(), written.begin(), written.end() - 1);
    Prediction p;
    p.arrays = {{"source", padded({question.ids}).tokens}, {"target", padded({so_far}).tokens}};
    p.words = question.tokens;
    p.words.emplace_back("<end>");
    p.target_words = shown(target, so_far), p.written = shown(target, written);
    p.run = [model = trained.model](const NamedTensors& arrays) {
        (*model)(arrays[0].second, arrays[1].second);
    };
    p.parameters = [model = trained.model] { return parameters_of(*model); };
    p.result = "logits";
    p.model = trained.model->config();
    p.notes = {"source: " + fmt::format("{}", fmt::join(p.words, " ")),
               "written so far: " + fmt::format("{}", fmt::join(p.target_words, " ")) + ", and now " +
                   p.written.back()};
    if (!warning.empty()) p.notes.push_back(warning);
    for (index_t id = Vocabulary::first_word; id < target.vocabulary().size(); ++id)
        p.choices.push_back(target.shown(id));
    p.map = Prediction::Map::cross;
    return p;
}

// Every pass from <start> on, as the tokens were written: with a cache, of one position each.
Prediction every_pass(const TrainedTranslator& trained, const SourceSentence& question) {
    Prediction p = last_pass(trained, question);
    p.result = fmt::format("step/{}/logits", p.written.size() - 1);
    p.arrays = {{"source", padded({question.ids}).tokens}};
    p.target_words.clear();
    p.run = [trained](const NamedTensors& arrays) {
        (void)decode(*trained.model, ids_of(arrays[0].second), trained.config);
    };
    return p;
}

Answerer answerer(const TranslationSettings& s, const PredictRequest& request) {
    TrainedTranslator trained{nullptr, Languages::kept(s), s.longest, {}};
    trained.model = std::make_shared<Transformer>(translation_model(s, trained.languages));
    trained.config = decoding_config(request, {.max_tokens = trained.longest + 1});
    trained.reads_grammar = s.is_generated(), trained.drawn = s.drawn;
    Answerer result;
    result.parameters = [model = trained.model] { return parameters_of(*model); };
    result.answers = [trained](const PredictRequest& asked) {
        if (asked.has("evaluate")) return std::vector{evaluation(trained, asked.text("evaluate"))};
        std::vector<Answer> answers;
        for (const std::string& text : asked.inputs)
            answers.push_back(answer(trained, question_of(trained, text, asked.model)));
        return answers;
    };
    result.in_full = [trained](const PredictRequest& asked) {
        if (asked.inputs.size() > 1)
            fail<UsageError>("{}: shows one prediction, got {} sentences", asked.in_full,
                             asked.inputs.size());
        const SourceSentence question = question_of(trained, asked.inputs[0], asked.model);
        return asked.has("every-pass") ? every_pass(trained, question) : last_pass(trained, question);
    };
    return result;
}

}  // namespace

Task translate() {
    Task task = task_with<TranslationSettings>(make, answerer, [](const TranslationSettings& s) {
        return TaskSizes{.length = s.longest, .drawn = s.drawn, .decodes = true};
    });
    task.name = "translate";
    task.summary = "Translates sentences, token by token.";
    task.order = 10;
    task.input_name = "a sentence";
    add_decoding_options(task);
    task.options.push_back({"evaluate", "FILE.tsv", "Translate a file of pairs: BLEU, chrF, perplexity"});
    task.check = check_request;
    return task;
}

}  // namespace glassbox
