#include <algorithm>
#include <cmath>
#include <map>

#include <glassbox/mistakes/catalogue/lines.h>
#include <glassbox/text/bleu.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::bleu;

namespace {

using Ngram = std::vector<real>;
using Counts = std::map<Ngram, index_t>;

// The n words in a row of a step, each with how often it is there.
Counts ngrams_of(const Frame& f, const char* name, std::size_t n) {
    const std::vector<real> words = f[name].values();
    Counts counts;
    for (auto at = words.begin(); at + static_cast<std::ptrdiff_t>(n) <= words.end(); ++at)
        ++counts[Ngram(at, at + static_cast<std::ptrdiff_t>(n))];
    return counts;
}

// Over n from 1 to 4.
template <class Of>
Tensor for_orders(Of of) {
    std::vector<real> all;
    for (std::size_t n = 1; n <= Bleu::orders; ++n) all.push_back(static_cast<real>(of(n)));
    return Tensor({static_cast<index_t>(all.size())}, all);
}

// Σ over the n-grams that were written of matched(times written, times in the reference).
Mistake matched(const char* name, const char* formula, const char* sentence,
                index_t (*times)(index_t written, index_t expected)) {
    return {step::matches, name, formula, sentence, [times](const Frame& f, const Tensor&) {
                return for_orders([&](std::size_t n) {
                    const Counts expected = ngrams_of(f, "reference", n);
                    index_t sum = 0;
                    for (const auto& [ngram, written] : ngrams_of(f, "translation", n)) {
                        const auto found = expected.find(ngram);
                        sum += times(written, found == expected.end() ? 0 : found->second);
                    }
                    return sum;
                });
            }};
}

double length(const Frame& f, const char* name) { return static_cast<double>(f[name].numel()); }
// reference length / length
double ratio(const Frame& f) { return length(f, "reference") / length(f, "translation"); }
Tensor number(double x) { return Tensor(static_cast<real>(x)); }
Tensor precision(const Frame& f, index_t n) { return select(f["precisions"], 0, n - 1); }

std::vector<Mistake> of_counts() {
    return {
        matched("not-clipped", "Σ times written, of those that the reference has",
                "Each counts as often as it was written: 'the the the' would be right three times.",
                [](index_t written, index_t expected) { return expected > 0 ? written : 0; }),
        matched("distinct", "how many different ones both have",
                "Each counts once, however often it is there.",
                [](index_t written, index_t expected) { return index_t{written > 0 && expected > 0}; }),
        matched("larger", "Σ max(times written, times in the reference)",
                "The larger of the two counts: all that was written would be right.",
                [](index_t written, index_t expected) { return std::max(written, expected); }),
        matched("of-reference", "Σ times in the reference, of those that were written",
                "Each counts as often as the reference has it, though it was written fewer times.",
                [](index_t written, index_t expected) { return written > 0 ? expected : 0; }),
        {step::matches, "at-same-place", "how many stand at the same place",
         "Words in a row count at the same place alone; the order of the sentence is free.",
         [](const Frame& f, const Tensor&) {
             const std::vector<real> a = f["translation"].values(), b = f["reference"].values();
             return for_orders([&](std::size_t n) {
                 index_t same = 0;
                 for (std::size_t i = 0; i + n <= std::min(a.size(), b.size()); ++i)
                     same += std::equal(a.begin() + static_cast<std::ptrdiff_t>(i),
                                        a.begin() + static_cast<std::ptrdiff_t>(i + n),
                                        b.begin() + static_cast<std::ptrdiff_t>(i));
                 return same;
             });
         }},
        {step::ngrams, "length", "length, for every n",
         "There are n − 1 fewer of n words in a row than words.",
         [](const Frame& f, const Tensor& made) { return made * 0.0 + length(f, "translation"); }},
        {step::ngrams, "one-less", "length − n", "There is one more: the last begins at length − n.",
         [](const Frame&, const Tensor& made) { return made - 1.0; }},
        {step::ngrams, "of-reference", "reference length + 1 − n",
         "Divided by what the reference has: that is recall.",
         [](const Frame& f, const Tensor& made) {
             return made + (length(f, "reference") - length(f, "translation"));
         }},
        {step::ngrams, "distinct", "how many different ones were written",
         "Each counts once; a word that is written twice counts twice.",
         [](const Frame& f, const Tensor&) {
             return for_orders([&](std::size_t n) { return ngrams_of(f, "translation", n).size(); });
         }},
        {step::precisions, "upside-down", "ngrams / matches", "Upside down: the more matches, the lower.",
         [](const Frame& f, const Tensor&) { return f["ngrams"] / f["matches"]; }},
        {step::precisions, "smoothed", "(matches + 1) / (ngrams + 1)",
         "1 is added to both counts, which smooths a sentence's score; BLEU itself does not.",
         [](const Frame& f, const Tensor&) { return (f["matches"] + 1.0) / (f["ngrams"] + 1.0); }},
        {step::precisions, "smoothed-above-1", "(matches + 1) / (ngrams + 1), for n > 1",
         "1 is added to both counts of two and more words in a row; BLEU itself does not.",
         [](const Frame& f, const Tensor&) {
             const Tensor added({4}, {0, 1, 1, 1});
             return (f["matches"] + added) / (f["ngrams"] + added);
         }},
    };
}

std::vector<Mistake> of_brevity() {
    return {
        {step::brevity, "left-out", "1", "There is no penalty for writing less than the reference.",
         [](const Frame&, const Tensor&) { return number(1); }},
        {step::brevity, "upside-down", "exp(min(0, 1 − length / reference length))",
         "The lengths are exchanged: long translations are punished instead of short ones.",
         [](const Frame& f, const Tensor&) { return number(std::exp(std::min(0.0, 1 - 1 / ratio(f)))); }},
        Mistake{
            step::brevity, "short-rewarded", "exp(max(0, 1 − length / reference length))",
            "The lengths are exchanged in the exponent: what is too short is rewarded instead of punished.",
            [](const Frame& f, const Tensor&) { return number(std::exp(std::max(0.0, 1 - 1 / ratio(f)))); }}
            .seen("https://github.com/promptfoo/promptfoo/pull/9717"),
        {step::brevity, "upside-down-not-limited", "exp(1 − length / reference length)",
         "The lengths are exchanged, and it is not limited to 1: what is too short is rewarded.",
         [](const Frame& f, const Tensor&) { return number(std::exp(1 - 1 / ratio(f))); }},
        {step::brevity, "not-limited", "exp(1 − reference length / length)",
         "Not limited to 1: a translation that is longer than the reference is rewarded.",
         [](const Frame& f, const Tensor&) { return number(std::exp(1 - ratio(f))); }},
        {step::brevity, "sign", "exp(min(0, reference length / length − 1))",
         "The sign of the exponent is wrong: what is too short is not punished, what is longer is.",
         [](const Frame& f, const Tensor&) { return number(std::exp(std::min(0.0, ratio(f) - 1))); }},
        {step::brevity, "larger", "exp(max(0, 1 − reference length / length))",
         "The larger of the two is taken: only what is longer than the reference changes.",
         [](const Frame& f, const Tensor&) { return number(std::exp(std::max(0.0, 1 - ratio(f)))); }},
        {step::brevity, "no-exp", "min(1, 1 − reference length / length)", "The exp is missing.",
         [](const Frame& f, const Tensor&) { return number(std::min(1.0, 1 - ratio(f))); }},
        {step::brevity, "ratio", "min(1, length / reference length)", "The ratio itself, without exp.",
         [](const Frame& f, const Tensor&) { return number(std::min(1.0, 1 / ratio(f))); }},
        {step::brevity, "no-one", "exp(min(0, −reference length / length))",
         "The 1 in the exponent is missing.",
         [](const Frame& f, const Tensor&) { return number(std::exp(-ratio(f))); }},
    };
}

std::vector<Mistake> of_scores() {
    return {
        {step::bleu, "arithmetic-mean", "brevity · ¼ Σ precisions",
         "The arithmetic mean; the geometric one is low as soon as one share is.",
         [](const Frame& f, const Tensor&) { return f["brevity"] * mean(f["precisions"]); }},
        {step::bleu, "no-penalty", "exp(¼ Σ ln precisions)", "The penalty for brevity is not applied.",
         [](const Frame& f, const Tensor&) { return exp(mean(log(f["precisions"]))); }},
        {step::bleu, "no-root", "brevity · Π precisions", "The product without its fourth root.",
         [](const Frame& f, const Tensor&) { return f["brevity"] * exp(sum(log(f["precisions"]))); }},
        {step::bleu, "halved-weights", "brevity · precisions₁^½ precisions₂^¼ precisions₃^⅛ precisions₄^¹⁄₁₆",
         "Each order weighs half of the one before, as in a textbook's variant; in BLEU all weigh ¼.",
         [](const Frame& f, const Tensor&) {
             const Tensor weights({4}, {real(0.5), real(0.25), real(0.125), real(0.0625)});
             return f["brevity"] * exp(sum(weights * log(f["precisions"])));
         }},
        {step::bleu, "pooled", "brevity · Σ matches / Σ ngrams",
         "All n-grams are in one share: the mean of the four shares is a geometric one.",
         [](const Frame& f, const Tensor&) { return f["brevity"] * sum(f["matches"]) / sum(f["ngrams"]); }},
        {step::bleu, "three-of-four", "brevity · exp(¼ Σ ln precisions), for n up to 3",
         "The fours are left out, and the weight is still ¼: range(1, 4) ends with 3.",
         [](const Frame& f, const Tensor&) {
             return f["brevity"] * exp(sum(log(slice(f["precisions"], 0, 0, 3))) / 4.0);
         }},
        {step::bleu, "words-alone", "brevity · precisions₁", "Only single words count.",
         [](const Frame& f, const Tensor&) { return f["brevity"] * precision(f, 1); }},
        {step::bleu, "fours-alone", "brevity · precisions₄", "Only four words in a row count.",
         [](const Frame& f, const Tensor&) { return f["brevity"] * precision(f, 4); }},
        {step::bleu, "without-exp", "brevity · ¼ Σ ln precisions",
         "The mean of the logarithms: exp is missing.",
         [](const Frame& f, const Tensor&) { return f["brevity"] * mean(log(f["precisions"])); }},
        {step::bleu, "up-to-two", "brevity · √(precisions₁ precisions₂)",
         "Only up to two words in a row count.",
         [](const Frame& f, const Tensor&) {
             return f["brevity"] * sqrt(precision(f, 1) * precision(f, 2));
         }},
        {step::bleu, "up-to-three", "brevity · (precisions₁ precisions₂ precisions₃)^⅓",
         "Only up to three words in a row count.",
         [](const Frame& f, const Tensor&) {
             return f["brevity"] * exp(mean(log(slice(f["precisions"], 0, 0, 3))));
         }},
        {step::bleu, "logarithm", "ln brevity + ¼ Σ ln precisions",
         "This is the score's logarithm: exp is missing.",
         [](const Frame& f, const Tensor&) { return log(f["brevity"]) + mean(log(f["precisions"])); }},
        {step::bleu, "without-brevity-in-root", "(brevity · Π precisions)^¼",
         "The penalty is under the root as well.",
         [](const Frame& f, const Tensor&) {
             return exp((log(f["brevity"]) + sum(log(f["precisions"]))) / 4.0);
         }},
    };
}

}  // namespace

// BLEU = brevity · exp(¼ Σ_n ln p_n)
std::vector<Mistake> bleu() { return joined({of_counts(), of_brevity(), of_scores()}); }

}  // namespace glassbox::catalogue
