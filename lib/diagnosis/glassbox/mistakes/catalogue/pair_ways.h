#pragma once
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <glassbox/mistakes/catalogue/lines.h>
#include <glassbox/text/counted_pairs.h>

// The ways in which byte pairs are learned and merged otherwise.
namespace glassbox::wrong {

using counted_pairs::PairCount;
using counted_pairs::PairMerge;
using counted_pairs::TokenIds;

// Puts a merge into a word.
using Apply = void (*)(const PairMerge& merge, TokenIds& word);

inline void at_first_place(const PairMerge& merge, TokenIds& word) {
    for (std::size_t i = 0; i + 1 < word.size(); ++i)
        if (word[i] == merge.left && word[i + 1] == merge.right) {
            word[i] = merge.joined;
            word.erase(word.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            return;
        }
}
inline void from_right(const PairMerge& merge, TokenIds& word) {
    std::reverse(word.begin(), word.end());
    counted_pairs::apply({merge.right, merge.left, merge.joined}, word);
    std::reverse(word.begin(), word.end());
}
// The right half of the pair is also there after the joined token.
inline void beside_right_half(const PairMerge& merge, TokenIds& word) {
    for (std::size_t i = 0; i + 1 < word.size(); ++i)
        if (word[i] == merge.left && word[i + 1] == merge.right) word[i] = merge.joined;
}

// Which of two pairs is merged first.
using IsBefore = bool (*)(const PairCount& a, const PairCount& b);

inline auto by_left(const PairCount& pair) { return std::pair(pair.left, pair.right); }
inline bool frequent_then_smaller(const PairCount& a, const PairCount& b) {
    return a.count != b.count ? a.count > b.count : by_left(a) < by_left(b);
}
inline bool frequent_then_larger(const PairCount& a, const PairCount& b) {
    return a.count != b.count ? a.count > b.count : by_left(b) < by_left(a);
}
inline bool frequent_then_right(const PairCount& a, const PairCount& b) {
    return a.count != b.count ? a.count > b.count : std::pair(a.right, a.left) < std::pair(b.right, b.left);
}
inline bool frequent(const PairCount& a, const PairCount& b) { return a.count > b.count; }
inline bool rarer(const PairCount& a, const PairCount& b) {
    return a.count != b.count ? a.count < b.count : by_left(a) < by_left(b);
}

// How merges are learned; the defaults are right.
struct Learning {
    IsBefore is_before = frequent_then_smaller;
    Apply apply = counted_pairs::apply;
    bool is_weighted = true, has_new_ids = true, counts_again = true;
    index_t ids_too_large_by = 0;
};

// The merges (n, 3) that such learning makes, their new ids from `first` on.
inline Tensor learned(std::vector<TokenIds> words, std::vector<real> weights, const Shape& merges,
                      index_t first, const Learning& way) {
    if (!way.is_weighted) std::fill(weights.begin(), weights.end(), real(1));
    std::vector<PairCount> pairs = counted_pairs::pairs_in(words, weights);
    std::vector<real> rows;
    for (index_t m = 0; m < merges[0] && !pairs.empty(); ++m) {
        const auto best = std::min_element(pairs.begin(), pairs.end(), way.is_before);
        const PairMerge merge{best->left, best->right,
                              first + way.ids_too_large_by + (way.has_new_ids ? m : 0)};
        for (const index_t id : {merge.left, merge.right, merge.joined}) rows.push_back(real(id));
        pairs.erase(best);
        if (!way.counts_again) continue;
        for (TokenIds& word : words) way.apply(merge, word);
        pairs = counted_pairs::pairs_in(words, weights);
    }
    rows.resize(static_cast<std::size_t>(merges.numel()));
    return Tensor(merges, rows);
}

// All merges in order, each in such a way.
inline std::vector<TokenIds> merged(std::vector<TokenIds> words, const std::vector<PairMerge>& merges,
                                    Apply apply) {
    for (const PairMerge& merge : merges)
        for (TokenIds& word : words) apply(merge, word);
    return words;
}
// The first pair of the word that any merge joins, again and again.
inline void merge_in_text_order(TokenIds& word, const std::vector<PairMerge>& merges) {
    for (std::size_t i = 0; i + 1 < word.size();) {
        const auto joins = [&](const PairMerge& m) { return m.left == word[i] && m.right == word[i + 1]; };
        const auto merge = std::find_if(merges.begin(), merges.end(), joins);
        if (merge == merges.end()) {
            ++i;
            continue;
        }
        word[i] = merge->joined;
        word.erase(word.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        i = 0;
    }
}

// A token's letters, and the token.
using Spelling = std::pair<TokenIds, index_t>;

inline std::vector<Spelling> longest_first(const std::vector<PairMerge>& merges) {
    std::vector<Spelling> all;
    const auto letters_of = [&](index_t id) {
        for (const auto& [letters, token] : all)
            if (token == id) return letters;
        return TokenIds{id};
    };
    for (const PairMerge& merge : merges) {
        TokenIds letters = letters_of(merge.left);
        const TokenIds right = letters_of(merge.right);
        letters.insert(letters.end(), right.begin(), right.end());
        all.emplace_back(letters, merge.joined);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
    return all;
}
// From the left the longest token that fits.
inline void take_longest(TokenIds& word, const std::vector<Spelling>& spellings) {
    TokenIds taken;
    for (auto at = word.begin(); at != word.end();) {
        const auto fits = [&](const Spelling& each) {
            return static_cast<std::ptrdiff_t>(each.first.size()) <= word.end() - at &&
                   std::equal(each.first.begin(), each.first.end(), at);
        };
        const auto found = std::find_if(spellings.begin(), spellings.end(), fits);
        const bool is_letter = found == spellings.end();
        taken.push_back(is_letter ? *at : found->second);
        at += is_letter ? 1 : static_cast<std::ptrdiff_t>(found->first.size());
    }
    word = std::move(taken);
}

}  // namespace glassbox::wrong
