#include <glassbox/text/counted_pairs.h>

#include <glassbox/mistakes/catalogue/pair_ways.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::counted_pairs;

namespace {

constexpr index_t pad = Vocabulary::padding, unknown = counted_pairs::unknown,
                  first_letter = counted_pairs::first_letter;

Tensor vector_of(const std::vector<real>& numbers) {
    return Tensor({static_cast<index_t>(numbers.size())}, numbers);
}

std::vector<Mistake> of_letters() {
    return {
        {step::letters, "as-met", "the distinct numbers in words, in order of appearance",
         "The letters are in order of appearance: their ids depend on the order of the corpus.",
         [](const Frame& f, const Tensor&) {
             std::vector<real> met;
             for (const real number : f["words"].values())
                 if (number != pad && std::find(met.begin(), met.end(), number) == met.end())
                     met.push_back(number);
             return vector_of(met);
         }},
        {step::letters, "descending", "the distinct numbers in words, descending",
         "The letters are sorted in descending instead of ascending order.",
         [](const Frame&, const Tensor& made) { return reversed(made, -1); }},
    };
}

// The ids with letters from another one on; those of unknown letters and of padding stay.
WrongValue letters_from(index_t first) {
    return [=](const Frame&, const Tensor& made) {
        return made - (made > static_cast<double>(unknown)) * static_cast<double>(first_letter - first);
    };
}
// The ids with another one in the place of padding.
WrongValue padded_with(index_t id) {
    return
        [=](const Frame& f, const Tensor& made) { return where(f["words"], made, static_cast<double>(id)); };
}

std::vector<Mistake> of_ids() {
    const WrongAt ids{"ids", {&step::ids}};
    return {
        Mistake{ids, "on-specials", "a where words is letters_a",
                "Letters share the ids of <pad>, <start>, <end> and <unk>: no model can tell them apart.",
                letters_from(pad)}
            .in_class("letters with the ids of special tokens"),
        Mistake{ids, "from-start", "1 + a where words is letters_a",
                "Letters share the ids of <start>, <end> and <unk>: no model can tell them apart.",
                letters_from(Vocabulary::start)}
            .in_class("letters with the ids of special tokens"),
        Mistake{ids, "from-end", "2 + a where words is letters_a",
                "Letters share the ids of <end> and <unk>: no model can tell them apart.",
                letters_from(Vocabulary::end)}
            .in_class("letters with the ids of special tokens"),
        {ids, "on-unknown", "3 + a where words is letters_a",
         "The first letter has the id of <unk>, as if only three special tokens came first.",
         letters_from(unknown)},
        {ids, "from-next", "5 + a where words is letters_a",
         "One too large: the first id after the special tokens is unused.", letters_from(first_letter + 1)},
        {ids, "letters", "words",
         "These are the letters' own numbers, not their positions in the vocabulary.",
         [](const Frame& f, const Tensor&) { return f["words"]; }},
        {ids, "pad-unknown", "<unk> where words is 0",
         "Padding became <unk>: after a word there is nothing unknown.", padded_with(unknown)},
        {ids, "pad-ignored", "−1 where words is 0",
         "Padded with −1, which is only for labels: no token has that id.", padded_with(-1)},
    };
}

// The table of these pairs, as large as the right one.
Tensor like(const Tensor& made, const std::vector<PairCount>& pairs) {
    return counted_pairs::table_of(pairs, made.size(-1));
}

// Padding after a word counts as its letter: one, or all of it.
WrongValue with_padding(std::size_t max_padding) {
    return [=](const Frame& f, const Tensor& made) {
        std::vector<TokenIds> words = counted_pairs::words_of(f["ids"]);
        const auto width = static_cast<std::size_t>(f["ids"].size(-1));
        for (TokenIds& word : words) {
            const std::size_t longer = std::min(width, word.size() + std::min(max_padding, width));
            word.resize(longer, pad);
        }
        return like(made, counted_pairs::pairs_in(words, f["counts"].values()));
    };
}

std::vector<Mistake> of_pairs() {
    return {
        {step::pairs, "unweighted", "Σ 1 over the places where b follows a",
         "Every word is counted once, however often it occurs in the corpus.",
         [](const Frame& f, const Tensor& made) {
             const std::vector<real> ones(static_cast<std::size_t>(f["counts"].numel()), 1);
             return like(made, counted_pairs::pairs_in(counted_pairs::words_of(f["ids"]), ones));
         }},
        {step::pairs, "backwards", "Σ counts over the places where a follows b",
         "Left and right are swapped: the row is the token that comes first.",
         [](const Frame&, const Tensor& made) { return contiguous(transpose(made)); }},
        {step::pairs, "both-ways", "Σ counts over the places where a is next to b",
         "Pairs are counted in both directions; \"es\" is not \"se\".",
         [](const Frame&, const Tensor& made) { return made + transpose(made); }},
        Mistake{step::pairs, "with-padding", "Σ counts, <pad> being a neighbour",
                "Padding counts as a neighbour; a word ends with its last letter.",
                with_padding(std::size_t{1} << 30)}
            .in_class("pairs with padding"),
        Mistake{step::pairs, "with-end-of-word", "Σ counts, the first <pad> being a neighbour",
                "The first padding after a word counts as a neighbour; the word ends with its last letter.",
                with_padding(1)}
            .in_class("pairs with padding"),
        {step::pairs, "across-words", "Σ counts, also from one word to the next",
         "The last letter of a word and the first of the next are counted; pairs do not cross words.",
         [](const Frame& f, const Tensor& made) {
             const std::vector<TokenIds> words = counted_pairs::words_of(f["ids"]);
             const std::vector<real> counts = f["counts"].values();
             std::vector<PairCount> across;
             for (std::size_t w = 1; w < words.size(); ++w)
                 if (!words[w].empty() && !words[w - 1].empty())
                     across.push_back(
                         {words[w - 1].back(), words[w].front(), static_cast<double>(counts.at(w))});
             return made + like(made, across);
         }},
    };
}

WrongValue learned_so(const Learning& way) {
    return [=](const Frame& f, const Tensor& made) {
        return learned(counted_pairs::words_of(f["ids"]), f["counts"].values(), made.shape(),
                       f["pairs"].size(-1), way);
    };
}

std::vector<Mistake> of_merges() {
    const WrongAt merges{"merges", {&step::merges}};
    return {
        {merges, "not-counted-again", "the n largest of pairs",
         "All merges come from the first count; pairs must be recounted after each.",
         learned_so({.counts_again = false})},
        {merges, "unweighted", "argmax of Σ 1, counted again after each",
         "Every word is counted once, however often it occurs in the corpus.",
         learned_so({.is_weighted = false})},
        {merges, "last-of-equals", "the last argmax of pairs",
         "Ties go to the last pair instead of the one with the smaller ids.",
         learned_so({.is_before = frequent_then_larger})},
        {merges, "first-met", "the argmax of pairs that appears first",
         "Ties go to the first pair of the corpus, so the order of words decides.",
         learned_so({.is_before = frequent})},
        {merges, "right-first", "argmax of pairsᵀ",
         "Ties go to the smaller id on the right; the left one should decide.",
         learned_so({.is_before = frequent_then_right})},
        {merges, "rarest", "argmin of the pairs that occur",
         "The rarest pair is merged instead of the most frequent one.", learned_so({.is_before = rarer})},
        {merges, "one-place", "each merge at its first place in a word",
         "A pair is merged only at its first occurrence in a word.", learned_so({.apply = at_first_place})},
        {merges, "from-right", "each merge from the right",
         "Merged from the right: in \"aaa\" the left pair becomes a token.",
         learned_so({.apply = from_right})},
        {merges, "right-half-stays", "each merge beside its right half",
         "The right half of a merged pair remains and is counted again.",
         learned_so({.apply = beside_right_half})},
        {merges, "same-id", "the same new id for all",
         "All merges have the same new id, so different tokens become one.",
         learned_so({.has_new_ids = false})},
        {merges, "id-too-large", "new ids from V + 1 on",
         "The new ids are one too large: V tokens have ids 0 … V − 1.", learned_so({.ids_too_large_by = 1})},
        {merges, "exchanged", "right, left, joined",
         "Left and right are swapped: the token that comes first goes first.",
         [](const Frame&, const Tensor& made) {
             return concat({slice(made, 1, 1, 2), slice(made, 1, 0, 1), slice(made, 1, 2, 3)}, 1);
         }},
    };
}

}  // namespace

// merge_m = the most frequent pair once the merges before it have been made
std::vector<Mistake> counted_pairs() { return joined({of_letters(), of_ids(), of_pairs(), of_merges()}); }

}  // namespace glassbox::catalogue
