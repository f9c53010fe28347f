#include <glassbox/text/bleu.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>
#include <glassbox/text/detail/compared.h>

namespace glassbox {

using namespace detail;

namespace {

constexpr std::size_t orders = 6;

// The characters without white space, and where each begins.
struct Characters {
    std::string text;
    std::vector<std::size_t> begins;
};

Characters characters(const std::string& sentence) {
    Characters all;
    for (const std::string& word : python_words(sentence)) all.text += word;
    for (std::size_t at = 0; at < all.text.size(); at += utf8_length(all.text, at)) all.begins.push_back(at);
    all.begins.push_back(all.text.size());
    return all;
}

using Ngrams = std::unordered_map<std::string_view, double>;

Ngrams ngrams(const Characters& all, std::size_t n) {
    Ngrams counts;
    const std::string_view text = all.text;
    for (std::size_t i = 0; i + n < all.begins.size(); ++i)
        ++counts[text.substr(all.begins[i], all.begins[i + n] - all.begins[i])];
    return counts;
}

struct NgramCounts {
    double ngrams = 0, expected = 0, matches = 0;
};

void count(NgramCounts& counts, const Ngrams& given, const Ngrams& expected) {
    for (const auto& [ngram, times] : expected) counts.expected += times;
    if (expected.empty()) return;  // as sacrebleu: what has nothing to match does not count
    for (const auto& [ngram, times] : given) {
        counts.ngrams += times;
        const auto found = expected.find(ngram);
        if (found != expected.end()) counts.matches += std::min(times, found->second);
    }
}

// F_β = (1 + β²) P R / (β² P + R) of the mean precision P and recall R over the orders that occur, β = 2
double score(const std::array<NgramCounts, orders>& all) {
    double precision = 0, recall = 0, occurring = 0;
    for (const NgramCounts& counts : all) {
        if (counts.ngrams == 0 || counts.expected == 0) continue;
        precision += counts.matches / counts.ngrams;
        recall += counts.matches / counts.expected;
        ++occurring;
    }
    if (precision + recall == 0) return 0;
    precision /= occurring, recall /= occurring;
    constexpr double beta2 = 4;
    return 100 * (1 + beta2) * precision * recall / (beta2 * precision + recall);
}

}  // namespace

double chrf(const std::vector<std::string>& translations, const std::vector<std::string>& references) {
    check_as_many("chrf", translations, references);
    std::array<NgramCounts, orders> all{};
    for (std::size_t i = 0; i < references.size(); ++i) {
        const Characters given = characters(translations[i]), expected = characters(references[i]);
        for (std::size_t n = 1; n <= orders; ++n) count(all[n - 1], ngrams(given, n), ngrams(expected, n));
    }
    return score(all);
}

}  // namespace glassbox
