#include <glassbox/text/counted_pairs.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <glassbox/observe/record.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace counted_pairs {

namespace {

// No id is as large, and none is NaN.
index_t id_of(real number) {
    constexpr real largest = 1e6;
    return std::abs(number) < largest ? static_cast<index_t>(std::lround(number)) : -1;
}

}  // namespace

std::vector<TokenIds> words_of(const Tensor& ids) {
    if (ids.rank() != 2) fail("byte pairs: needs a row for each word, got {}", ids.shape());
    const std::vector<real> numbers = ids.values();
    const auto width = ids.size(1);
    std::vector<TokenIds> words;
    for (auto row = numbers.begin(); row != numbers.end(); row += width) {
        const auto end = std::find(row, row + width, static_cast<real>(Vocabulary::padding));
        std::transform(row, end, std::back_inserter(words.emplace_back()), id_of);
    }
    return words;
}

Tensor rows_of(const std::vector<TokenIds>& words, index_t width, index_t behind) {
    const auto rows = static_cast<index_t>(words.size());
    std::vector<real> numbers(static_cast<std::size_t>(rows * width), static_cast<real>(behind));
    auto row = numbers.begin();
    for (const TokenIds& word : words) {
        const auto size = std::min(width, static_cast<index_t>(word.size()));
        std::transform(word.begin(), word.begin() + size, row, [](index_t id) { return real(id); });
        row += width;
    }
    return Tensor({rows, width}, numbers);
}

std::vector<PairMerge> merges_of(const Tensor& rows) {
    if (rows.rank() != 2 || rows.size(1) != 3) fail("byte pairs: needs merges (n, 3), got {}", rows.shape());
    const std::vector<real> numbers = rows.values();
    std::vector<PairMerge> merges;
    for (auto row = numbers.begin(); row != numbers.end(); row += 3)
        merges.push_back({id_of(row[0]), id_of(row[1]), id_of(row[2])});
    return merges;
}

std::vector<PairCount> pairs_in(const std::vector<TokenIds>& words, const std::vector<real>& weights) {
    if (words.size() != weights.size())
        fail("byte pairs: needs a count for each of {} words, got {}", words.size(), weights.size());
    std::vector<PairCount> pairs;
    for (std::size_t w = 0; w < words.size(); ++w)
        for (std::size_t i = 1; i < words[w].size(); ++i) {
            const index_t left = words[w][i - 1], right = words[w][i];
            auto pair = std::find_if(pairs.begin(), pairs.end(), [&](const PairCount& each) {
                return each.left == left && each.right == right;
            });
            if (pair == pairs.end()) pair = pairs.insert(pair, {left, right, 0});
            pair->count += static_cast<double>(weights[w]);
        }
    return pairs;
}

Tensor table_of(const std::vector<PairCount>& pairs, index_t size) {
    std::vector<real> table(static_cast<std::size_t>(size * size));
    const auto is_id = [size](index_t id) { return id >= 0 && id < size; };
    for (const auto& [left, right, count] : pairs)
        if (is_id(left) && is_id(right))
            table[static_cast<std::size_t>(left * size + right)] += static_cast<real>(count);
    return Tensor({size, size}, table);
}

void apply(const PairMerge& merge, TokenIds& word) {
    TokenIds joined;
    for (std::size_t i = 0; i < word.size(); ++i) {
        const bool is_pair = i + 1 < word.size() && word[i] == merge.left && word[i + 1] == merge.right;
        joined.push_back(is_pair ? merge.joined : word[i]);
        if (is_pair) ++i;
    }
    word = std::move(joined);
}

namespace {

Tensor letters_of(const Tensor& words) {
    std::set<real> letters;
    for (const real number : words.values())
        if (number != Vocabulary::padding) letters.insert(number);
    return Tensor({static_cast<index_t>(letters.size())}, std::vector<real>(letters.begin(), letters.end()));
}

Tensor ids_of(const Tensor& words, const Tensor& letters) {
    const std::vector<real> known = letters.values();
    std::vector<real> ids = words.values();
    for (real& number : ids) {
        if (number == Vocabulary::padding) continue;
        const auto place = std::find(known.begin(), known.end(), number);
        number = static_cast<real>(place == known.end() ? unknown : first_letter + (place - known.begin()));
    }
    return Tensor(words.shape(), ids);
}

// Whether a is merged before b.
bool is_before(const PairCount& a, const PairCount& b) {
    if (a.count != b.count) return a.count > b.count;
    return std::pair(a.left, a.right) < std::pair(b.left, b.right);
}

// (n, 3); merged tokens have the ids from `first` on.
Tensor merges_from(std::vector<TokenIds> words, const std::vector<real>& weights, index_t how_many,
                   index_t first) {
    std::vector<real> rows(static_cast<std::size_t>(3 * how_many));
    for (index_t m = 0; m < how_many; ++m) {
        const std::vector<PairCount> pairs = pairs_in(words, weights);
        if (pairs.empty()) break;
        const PairCount& best = *std::min_element(pairs.begin(), pairs.end(), is_before);
        const PairMerge merge{best.left, best.right, first + m};
        for (TokenIds& word : words) apply(merge, word);
        const index_t row[] = {merge.left, merge.right, merge.joined};
        std::copy(std::begin(row), std::end(row), rows.begin() + 3 * m);
    }
    return Tensor({how_many, 3}, rows);
}

// Tokens have no gradient; a trace follows them back.
Tensor made_from(Inputs inputs, const char* op, const Tensor& made) {
    return record(op, made, std::move(inputs), [](const Tensor&) -> Tape::Gradients { return {}; });
}

}  // namespace
}  // namespace counted_pairs

namespace step = steps::counted_pairs;
using namespace counted_pairs;

// merge_m = the most frequent pair once the merges before it have been made
CountedPairs learn_counted_pairs(const Tensor& corpus, const Tensor& occurrences, index_t how_many) {
    Tensor words = named(step::words, corpus);                                                    // (W, L)
    Tensor counts = named(step::counts, occurrences);                                             // (W)
    Tensor letters = named(step::letters, made_from({&words}, "letters", letters_of(words)));     // (A)
    Tensor ids = named(step::ids, made_from({&words, &letters}, "ids", ids_of(words, letters)));  // (W, L)
    const index_t V = first_letter + letters.numel();
    const std::vector<TokenIds> rows = words_of(ids);
    Tensor pairs = named(step::pairs, made_from({&ids, &counts, &letters}, "count_pairs",
                                                table_of(pairs_in(rows, counts.values()), V)));  // (V, V)
    Tensor merges =
        named(step::merges, made_from({&ids, &counts, &letters}, "learn_pairs",
                                      merges_from(rows, counts.values(), how_many, V)));  // (n, 3)
    return {letters, merges};
}

Tensor encode_counted_pairs(const Tensor& others, const CountedPairs& learned) {
    Tensor text = named(step::text, others);  // (W', L')
    std::vector<TokenIds> words = words_of(ids_of(text, learned.letters));
    for (const PairMerge& merge : merges_of(learned.merges))
        for (TokenIds& word : words) apply(merge, word);
    const Tensor tokens = rows_of(words, text.size(1));
    return named(step::tokens, made_from({&text, &learned.letters, &learned.merges}, "merge_pairs", tokens));
}

}  // namespace glassbox
