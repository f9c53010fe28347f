#include "tasks/shared/translation_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <glassbox/io/json.h>
#include <glassbox/tasks/classified.h>
#include <glassbox/tasks/sequence_learner.h>
#include <glassbox/tasks/word_for_word.h>
#include <glassbox/tensor/format.h>
#include <glassbox/text/batch.h>
#include <glassbox/text/bleu.h>

#include "tasks/shared/token_settings.h"
#include "tasks/shared/translation_corpus.h"

namespace glassbox {

TranslationScore score_of(const Language& language, const std::vector<std::string>& translations,
                          const std::vector<std::string>& references) {
    double exact = 0;
    for (std::size_t i = 0; i < references.size(); ++i)
        exact += language.tokenizer->tokens(language.read(translations[i])) ==
                 language.tokenizer->tokens(language.read(references[i]));
    const double count = std::max(1.0, static_cast<double>(references.size()));
    return {exact / count, bleu(translations, references).score, chrf(translations, references)};
}

double perplexity(const Transformer& model, const TokenPairs& pairs) {
    std::vector<index_t> lengths;
    for (const auto& sentence : pairs.target()) lengths.push_back(static_cast<index_t>(sentence.size()) + 1);
    double loss = 0, tokens = 0;
    for (const std::vector<index_t>& batch : batches_by_length(lengths, 64, 4096)) {
        const Examples on_host = pairs.at(batch), examples = on_host.to(model.generator.weight.device());
        loss +=
            static_cast<double>(classified(teacher_forced(model, examples), examples["labels"]).loss.item());
        tokens += static_cast<double>(count_labels(on_host["labels"]));
    }
    return std::exp(loss / tokens);
}

namespace {

std::vector<std::string> decoded(const Language& language, const TokenPairs::Sentences& sentences) {
    std::vector<std::string> texts;
    for (const auto& sentence : sentences) texts.push_back(language.tokenizer->decode(sentence));
    return texts;
}

void say_row(TestReport& report, const char* name, const std::string& field, const TranslationScore& score,
             const std::string& perplexity) {
    report.lines.push_back(fmt::format("{:<14} {:>8.2f} % {:>8.2f} {:>8.2f}{}", name, 100 * score.exact,
                                       score.bleu, score.chrf, perplexity));
    report.field(field, JsonObject{{"exact", score.exact}, {"bleu", score.bleu}, {"chrf", score.chrf}});
}

// The sentences with the least BLEU each.
void say_worst(TestReport& report, const SentencePairs& texts, const std::vector<std::string>& written) {
    std::vector<std::pair<double, std::size_t>> scores;
    for (std::size_t i = 0; i < written.size(); ++i)
        if (written[i] != texts.target[i])
            scores.emplace_back(sentence_bleu(written[i], texts.target[i]).score, i);
    std::sort(scores.begin(), scores.end());
    scores.resize(std::min<std::size_t>(scores.size(), 5));
    if (!scores.empty()) report.lines.emplace_back("the worst translations, with their own BLEU:");
    JsonList worst;
    for (const auto& [score, i] : scores) {
        report.lines.push_back(fmt::format("  {:>6.2f}  {}", score, texts.source[i]));
        report.lines.push_back("          " + written[i] + (written[i].empty() ? "(nothing)" : ""));
        report.lines.push_back("          " + texts.target[i] + "  expected");
        worst.add(JsonObject{{"bleu", score},
                             {"source", texts.source[i]},
                             {"written", written[i]},
                             {"expected", texts.target[i]}});
    }
    report.field("worst", worst);
}

// "of their 2-, 3-, 4- and 5-grams 86, 48, 21 and 8 % occur in the training sentences"
void say_shared(TestReport& report, const EncodedPairs& test, const EncodedPairs& training) {
    JsonObject json;
    std::vector<std::string> shares;
    for (const std::size_t n : {2, 3, 4, 5}) {
        const double share = shared_ngrams(test.source, training.source, n);
        shares.push_back(fmt::format("{:.1f} %", share));
        json.add(std::to_string(n), share / 100);
    }
    report.lines.push_back(fmt::format(
        "no test sentence is a training sentence; of their 2-, 3-, 4- and 5-grams {} occur in training",
        fmt::join(shares, ", ")));
    report.field("shared_ngrams", json);
}

}  // namespace

std::vector<std::string> unknown_notes(const Languages& languages, const EncodedPairs& pairs,
                                       const std::string& of) {
    std::vector<std::string> notes;
    for (const bool is_read : {true, false}) {
        const Tokenizer& tokenizer = *(is_read ? languages.source : languages.target).tokenizer;
        std::string note = unknown_note(tokenizer, is_read ? pairs.source : pairs.target,
                                        is_read ? " to be read" : " to be written", of);
        if (!note.empty()) notes.push_back(std::move(note));
    }
    return notes;
}

TestReport translation_report(const Transformer& model, const Languages& languages, const EncodedPairs& test,
                              const EncodedPairs* training, const DecodingConfig& config) {
    TestReport report;
    const std::vector<std::string>& references = test.texts.target;
    const std::vector<std::string> written =
        decoded(languages.target, translated(model, test.source, config));
    const double surprise = perplexity(model, {test.source, test.target});
    report.lines.push_back(
        fmt::format("{:<14} {:>10} {:>8} {:>8} {:>12}", "", "exact", "BLEU", "chrF", "perplexity"));
    say_row(report, "model", "model", score_of(languages.target, written, references),
            fmt::format(" {:>12.4f}", surprise));
    report.field("perplexity", surprise);
    if (training) {
        const WordForWord by_word(training->source, training->target);
        TokenPairs::Sentences guesses;
        for (const auto& sentence : test.source) guesses.push_back(by_word(sentence));
        say_row(report, "word for word", "word_for_word",
                score_of(languages.target, decoded(languages.target, guesses), references), "");
    }
    say_row(report, "copy", "copy", score_of(languages.target, test.texts.source, references), "");
    for (std::string& note : unknown_notes(languages, test, "")) report.lines.push_back(std::move(note));
    if (training) say_shared(report, test, *training);
    say_worst(report, test.texts, written);
    return report;
}

}  // namespace glassbox
