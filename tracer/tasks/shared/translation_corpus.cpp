#include "tasks/shared/translation_corpus.h"

#include <unordered_map>
#include <unordered_set>

#include <glassbox/io/file.h>
#include <glassbox/random/generators.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/words.h>

#include "tasks/grammar/grammar.h"

namespace glassbox {
namespace {

void move_pair(SentencePairs& from, std::size_t i, SentencePairs& to) {
    to.source.push_back(std::move(from.source[i]));
    to.target.push_back(std::move(from.target[i]));
}

// All pairs of the grammar differ in their sources.
TranslationCorpus generated_corpus(const DrawnSettings& s) {
    const index_t training = s.examples, validation = s.validation;
    SentencePairs all = grammar_pairs(training + validation + s.test, s.data_seed);
    TranslationCorpus corpus;
    for (index_t i = 0; i < all.size(); ++i)
        move_pair(all, static_cast<std::size_t>(i),
                  i < training                ? corpus.training
                  : i < training + validation ? corpus.validation
                                              : corpus.test);
    corpus.notes = {"French sentences of a grammar and their translations; --pairs FILE reads others"};
    return corpus;
}

// Sources in a random order, each with the places where it occurs: a sentence that occurs repeatedly is in
// one part only.
std::vector<std::vector<std::size_t>> places_by_source(const SentencePairs& all, std::uint64_t seed) {
    std::unordered_map<std::string_view, std::size_t> numbers;
    std::vector<std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < all.source.size(); ++i) {
        const auto [found, is_new] = numbers.try_emplace(all.source[i], places.size());
        if (is_new) places.emplace_back();
        places[found->second].push_back(i);
    }
    NumpyGenerator(seed).shuffle(std::span(places));
    return places;
}

TranslationCorpus split(SentencePairs all, const DrawnSettings& s, const std::string& from) {
    const index_t validation = s.validation, test = s.test;
    const std::vector<std::vector<std::size_t>> places = places_by_source(all, s.data_seed);
    if (static_cast<index_t>(places.size()) <= validation + test)
        fail<UsageError>(
            "--validation, --test: {} and {} sentences leave none to train on: {} has {} different ones",
            validation, test, from, places.size());
    TranslationCorpus corpus;
    corpus.notes = {fmt::format("{} of {}", counted(all.size(), "pair"), from)};
    if (all.further_columns > 0) corpus.notes[0] += ", whose further columns are ignored";
    if (all.left_out > 0) corpus.notes[0] += fmt::format(", without {}", counted(all.left_out, "blank line"));
    corpus.notes.insert(corpus.notes.end(), all.notes.begin(), all.notes.end());
    for (std::size_t i = 0; i < places.size(); ++i) {
        const bool is_test = static_cast<index_t>(i) < test,
                   is_validation = !is_test && static_cast<index_t>(i) < test + validation;
        for (const std::size_t at : places[i]) {
            move_pair(all, at, is_test ? corpus.test : is_validation ? corpus.validation : corpus.training);
            if (is_test || is_validation) break;  // a sentence is asked once
        }
    }
    return corpus;
}

}  // namespace

TranslationCorpus translation_corpus(const TranslationSettings& s) {
    if (s.is_generated()) return generated_corpus(s.drawn);
    if (s.pairs && (s.source || s.target))
        fail<UsageError>("--pairs: cannot be combined with --source and --target");
    if (s.pairs) return split(read_pairs(*s.pairs), s.drawn, display_name(*s.pairs));
    if (!s.source) fail<UsageError>("--target: requires --source FILE");
    if (!s.target) fail<UsageError>("--source: requires --target FILE");
    return split(read_pairs(*s.source, *s.target), s.drawn,
                 display_name(*s.source) + " and " + display_name(*s.target));
}

namespace {

// The ids of n tokens as text, which can be hashed.
std::string ngram(const std::vector<index_t>& sentence, std::size_t begin, std::size_t n) {
    return std::string(reinterpret_cast<const char*>(sentence.data() + begin), n * sizeof(index_t));
}

}  // namespace

double shared_ngrams(const std::vector<std::vector<index_t>>& sentences,
                     const std::vector<std::vector<index_t>>& others, std::size_t n) {
    std::unordered_map<std::string, index_t> counts;
    index_t all = 0, shared = 0;
    for (const auto& sentence : sentences)
        for (std::size_t i = 0; i + n <= sentence.size(); ++i) ++counts[ngram(sentence, i, n)], ++all;
    for (const auto& sentence : others)
        for (std::size_t i = 0; i + n <= sentence.size() && !counts.empty(); ++i) {
            const auto found = counts.find(ngram(sentence, i, n));
            if (found == counts.end()) continue;
            shared += found->second;
            counts.erase(found);
        }
    return all == 0 ? 0 : 100 * static_cast<double>(shared) / static_cast<double>(all);
}

}  // namespace glassbox
