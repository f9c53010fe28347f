#pragma once
// For check.cpp: byte-pair encoding, with the ways in which it can go wrong.
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "lesson.h"

namespace lesson::byte_pairs {

using Word = std::vector<int>;  // ids
using Words = std::vector<Word>;

// A number that a student wrote; it may be no whole one.
inline int whole(double number) {
    return std::abs(number) < 1e6 ? static_cast<int>(std::lround(number)) : -1;  // NaN: −1
}

// The rows of ids up to their padding.
inline Words words_of(const Matrix& ids) {
    Words words(static_cast<std::size_t>(ids.rows()));
    for (int w = 0; w < ids.rows(); ++w)
        for (int i = 0; i < ids.columns() && ids(w, i) != pad; ++i)
            words[static_cast<std::size_t>(w)].push_back(whole(ids(w, i)));
    return words;
}

inline Matrix matrix_of(const Words& words, int columns, int behind = pad) {
    Matrix ids(static_cast<int>(words.size()), columns);
    for (int w = 0; w < ids.rows(); ++w) {
        const Word& word = words[static_cast<std::size_t>(w)];
        for (int i = 0; i < columns; ++i)
            ids(w, i) = i < static_cast<int>(word.size()) ? word[static_cast<std::size_t>(i)] : behind;
    }
    return ids;
}

struct Pair {
    int left = 0, right = 0;
    double count = 0;
};

// In the order in which they are met; with `across`, also those of one word's last and the next one's first.
inline std::vector<Pair> pairs_in(const Words& words, const std::vector<double>& weights,
                                  bool across = false) {
    std::vector<Pair> pairs;
    const auto add = [&](int left, int right, double count) {
        const auto same = [&](const Pair& p) { return p.left == left && p.right == right; };
        auto found = std::find_if(pairs.begin(), pairs.end(), same);
        if (found == pairs.end()) found = pairs.insert(found, {left, right, 0});
        found->count += count;
    };
    for (std::size_t w = 0; w < words.size(); ++w) {
        for (std::size_t i = 1; i < words[w].size(); ++i) add(words[w][i - 1], words[w][i], weights[w]);
        if (across && w > 0 && !words[w].empty() && !words[w - 1].empty())
            add(words[w - 1].back(), words[w].front(), weights[w]);
    }
    return pairs;
}

struct Merge {
    int left, right, joined;
};
using Merges = std::vector<Merge>;

// Where a pair is merged: right is everywhere, from left to right. Wrong is the first place alone, from the
// right, or so that the right half stays behind the merged token.
enum class Places { all, first, from_right, right_half_stays };

inline void apply(const Merge& merge, Word& word, Places places = Places::all) {
    if (places == Places::from_right) {
        std::reverse(word.begin(), word.end());
        apply({merge.right, merge.left, merge.joined}, word);
        std::reverse(word.begin(), word.end());
        return;
    }
    Word result;
    bool is_done = false;
    for (std::size_t i = 0; i < word.size(); ++i) {
        const bool is_pair =
            !is_done && i + 1 < word.size() && word[i] == merge.left && word[i + 1] == merge.right;
        result.push_back(is_pair ? merge.joined : word[i]);
        if (is_pair && places != Places::right_half_stays) ++i;
        is_done = is_done || (is_pair && places == Places::first);
    }
    word = result;
}

inline Words merged(Words words, const Merges& merges, Places places = Places::all) {
    for (const Merge& merge : merges)
        for (Word& word : words) apply(merge, word, places);
    return words;
}

// Which of two pairs is merged first. Right is: the more frequent; of equals the smaller id on the left, then
// on the right.
using IsBetter = std::function<bool(const Pair& a, const Pair& b)>;
inline IsBetter frequent_and(std::function<bool(const Pair& a, const Pair& b)> of_equals) {
    return [=](const Pair& a, const Pair& b) {
        return a.count != b.count ? a.count > b.count : of_equals(a, b);
    };
}
inline bool smaller(const Pair& a, const Pair& b) {
    return std::pair(a.left, a.right) < std::pair(b.left, b.right);
}

// How merges are learned; the defaults are right.
struct Learning {
    std::vector<double> weights;  // of the words
    IsBetter is_better = frequent_and(smaller);
    Places places = Places::all;
    bool has_new_ids = true, counts_again = true;
    int ids_too_large_by = 0;
};

// As many merges as asked for, fewer where no pair is left. Merged tokens have the ids from `first_new` on.
inline Merges learned(Words words, int how_many, int first_new, const Learning& way) {
    Merges merges;
    std::vector<Pair> pairs = pairs_in(words, way.weights);
    while (static_cast<int>(merges.size()) < how_many && !pairs.empty()) {
        const auto best = std::min_element(pairs.begin(), pairs.end(), way.is_better);
        const int joined =
            first_new + way.ids_too_large_by + (way.has_new_ids ? static_cast<int>(merges.size()) : 0);
        merges.push_back({best->left, best->right, joined});
        pairs.erase(best);
        if (!way.counts_again) continue;
        words = merged(words, {merges.back()}, way.places);
        pairs = pairs_in(words, way.weights);
    }
    return merges;
}

// Wrong: the first pair of the word that any merge joins, again and again.
inline Words merged_in_text_order(Words words, const Merges& merges) {
    for (Word& word : words)
        for (std::size_t i = 0; i + 1 < word.size();) {
            const auto joins = [&](const Merge& m) { return m.left == word[i] && m.right == word[i + 1]; };
            const auto found = std::find_if(merges.begin(), merges.end(), joins);
            if (found == merges.end()) {
                ++i;
                continue;
            }
            word[i] = found->joined;
            word.erase(word.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            i = 0;
        }
    return words;
}

// Wrong: from the left the longest token that fits.
inline Words merged_longest_first(const Words& words, const Merges& merges) {
    std::vector<std::pair<Word, int>> known;  // the letters of each merged token
    const auto letters_of = [&](int id) {
        for (const auto& [letters, joined] : known)
            if (joined == id) return letters;
        return Word{id};
    };
    for (const Merge& merge : merges) {
        Word letters = letters_of(merge.left);
        for (const int letter : letters_of(merge.right)) letters.push_back(letter);
        known.emplace_back(letters, merge.joined);
    }
    const auto by_length = [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); };
    std::stable_sort(known.begin(), known.end(), by_length);
    Words results;
    for (const Word& word : words) {
        Word& result = results.emplace_back();
        for (auto at = word.begin(); at != word.end();) {
            const auto fits = [&](const auto& one) {
                return static_cast<std::ptrdiff_t>(one.first.size()) <= word.end() - at &&
                       std::equal(one.first.begin(), one.first.end(), at);
            };
            const auto found = std::find_if(known.begin(), known.end(), fits);
            result.push_back(found == known.end() ? *at : found->second);
            at += found == known.end() ? 1 : static_cast<std::ptrdiff_t>(found->first.size());
        }
    }
    return results;
}

// Wrong: the right half of each merged pair becomes padding, and what is behind it does not move up.
inline Matrix merged_with_gaps(Matrix ids, const Merges& merges) {
    for (const Merge& merge : merges)
        for (int w = 0; w < ids.rows(); ++w)
            for (int i = 0; i + 1 < ids.columns(); ++i)
                if (ids(w, i) == merge.left && ids(w, i + 1) == merge.right)
                    ids(w, i) = merge.joined, ids(w, i + 1) = pad;
    return ids;
}

}  // namespace lesson::byte_pairs
