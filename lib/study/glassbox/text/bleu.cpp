#include <glassbox/text/bleu.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <glassbox/observe/record.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>
#include <glassbox/text/detail/compared.h>

namespace glassbox {

using namespace detail;

// ---- words -----------------------------------------------------------------------------------------------

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_point(char c) { return c == '.' || c == ','; }

// ASCII's symbols without , - . ' : [\{-\~\[-\` -\&\(-\+\:-\@\/]
bool is_symbol(char c) {
    return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
           (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

// Each match of two characters in a row is replaced, from left to right, without overlaps.
template <class Matches>
std::string pairs_replaced(const std::string& text, const Matches& matches, bool space_first) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i + 1 == text.size() || !matches(text[i], text[i + 1])) {
            result += text[i];
            continue;
        }
        if (space_first) result += {' ', text[i], ' ', text[i + 1]};
        else result += {text[i], ' ', text[i + 1], ' '};
        ++i;
    }
    return result;
}

}  // namespace

std::vector<std::string> words_13a(std::string_view given) {
    std::string text(given);
    while (!text.empty() && is_python_space(text, text.size() - 1)) {
        while ((static_cast<unsigned char>(text.back()) & 0xc0) == 0x80) text.pop_back();  // all its bytes
        text.pop_back();
    }
    replace_all(text, "<skipped>", "");
    replace_all(text, "-\n", "");
    replace_all(text, "\n", " ");
    replace_all(text, "&quot;", "\"");
    replace_all(text, "&amp;", "&");
    replace_all(text, "&lt;", "<");
    replace_all(text, "&gt;", ">");
    std::string spaced = " ";
    for (const char c : text + " ")
        if (is_symbol(c)) spaced += {' ', c, ' '};
        else spaced += c;
    spaced = pairs_replaced(
        spaced, [](char a, char b) { return !is_digit(a) && is_point(b); }, false);
    spaced = pairs_replaced(
        spaced, [](char a, char b) { return is_point(a) && !is_digit(b); }, true);
    spaced = pairs_replaced(
        spaced, [](char a, char b) { return is_digit(a) && b == '-'; }, false);
    return python_words(spaced);
}

// ---- counts ----------------------------------------------------------------------------------------------

namespace {

struct Counts {
    std::array<index_t, Bleu::orders> matches{}, ngrams{};
    index_t length = 0, reference_length = 0;
};

std::map<std::string, index_t> ngrams(const std::vector<std::string>& words, std::size_t n) {
    std::map<std::string, index_t> counts;
    for (std::size_t i = 0; i + n <= words.size(); ++i) {
        std::string ngram;
        for (std::size_t k = i; k < i + n; ++k) (ngram += words[k]) += ' ';
        ++counts[ngram];
    }
    return counts;
}

void count(Counts& all, const std::vector<std::string>& words, const std::vector<std::string>& right) {
    all.length += static_cast<index_t>(words.size());
    all.reference_length += static_cast<index_t>(right.size());
    for (std::size_t n = 1; n <= Bleu::orders; ++n) {
        const std::map<std::string, index_t> expected = ngrams(right, n);
        for (const auto& [ngram, times] : ngrams(words, n)) {
            all.ngrams[n - 1] += times;
            const auto found = expected.find(ngram);
            if (found != expected.end()) all.matches[n - 1] += std::min(times, found->second);
        }
    }
}

// BLEU = brevity · exp(¼ Σ_n ln p_n),  p_n = matches / n-grams,  brevity = exp(1 − reference length / length)
Bleu score(const Counts& counts, bool long_enough_orders_only) {
    Bleu result;
    result.length = counts.length, result.reference_length = counts.reference_length;
    if (counts.length < counts.reference_length)
        result.brevity = counts.length > 0 ? std::exp(1 - static_cast<double>(counts.reference_length) /
                                                              static_cast<double>(counts.length))
                                           : 0;
    if (counts.matches[0] == 0) return result;
    double sum = 0, smoothing = 1;
    std::size_t orders = Bleu::orders;
    for (std::size_t n = 0; n < Bleu::orders; ++n) {
        if (counts.ngrams[n] == 0) {  // the sentences are too short
            if (long_enough_orders_only) orders = n;
            else return result;
            break;
        }
        const double matches =
            counts.matches[n] > 0 ? static_cast<double>(counts.matches[n]) : 1 / (smoothing *= 2);
        result.precisions[n] = 100 * matches / static_cast<double>(counts.ngrams[n]);
        sum += std::log(result.precisions[n]);
    }
    result.score = result.brevity * std::exp(sum / static_cast<double>(orders));
    return result;
}

}  // namespace

namespace {

std::vector<std::string> as_words(const Tensor& numbers) {
    if (numbers.rank() != 1 || numbers.numel() < static_cast<index_t>(Bleu::orders))
        fail("bleu: needs a row of at least {} words, got {}", Bleu::orders, numbers.shape());
    std::vector<std::string> words;
    for (const real number : numbers.values()) words.push_back(fmt::format("{}", number));
    return words;
}

Tensor row(const std::array<index_t, Bleu::orders>& counts) {
    return Tensor({static_cast<index_t>(counts.size())}, std::vector<real>(counts.begin(), counts.end()));
}

}  // namespace

// BLEU = brevity · exp(¼ Σ_n ln p_n)
Tensor bleu_by_steps(const Tensor& written, const Tensor& expected) {
    namespace step = steps::bleu;
    Counts counts;
    count(counts, as_words(written), as_words(expected));
    const auto counted = [&](const std::array<index_t, Bleu::orders>& numbers) {
        return record("count_ngrams", row(numbers), {&written, &expected},
                      [](const Tensor&) -> Tape::Gradients { return {}; });
    };
    const auto length = [](index_t words) { return Tensor(static_cast<real>(words)); };
    (void)named(step::translation, written);                         // (n)
    (void)named(step::reference, expected);                          // (m)
    Tensor ngrams = named(step::ngrams, counted(counts.ngrams));     // (4)
    Tensor matches = named(step::matches, counted(counts.matches));  // (4)
    Tensor p = named(step::precisions, matches / ngrams);            // (4)
    Tensor short_by = 1 - length(counts.reference_length) / length(counts.length);
    Tensor brevity = named(step::brevity, exp(clip(short_by, -INFINITY, 0)));  // ()
    return named(step::bleu, brevity * exp(mean(log(p))));                     // ()
}

Bleu bleu(const std::vector<std::string>& translations, const std::vector<std::string>& references) {
    check_as_many("bleu", translations, references);
    Counts counts;
    for (std::size_t i = 0; i < references.size(); ++i)
        count(counts, words_13a(translations[i]), words_13a(references[i]));
    return score(counts, false);
}

Bleu sentence_bleu(const std::string& translation, const std::string& reference) {
    Counts counts;
    count(counts, words_13a(translation), words_13a(reference));
    return score(counts, true);
}

}  // namespace glassbox
