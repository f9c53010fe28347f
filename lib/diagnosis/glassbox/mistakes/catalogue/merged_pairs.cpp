#include <glassbox/text/counted_pairs.h>

#include <glassbox/mistakes/catalogue/pair_ways.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::counted_pairs;

namespace {

constexpr index_t pad = Vocabulary::padding, unknown = counted_pairs::unknown,
                  first_letter = counted_pairs::first_letter;

// The words before the first merge, and what merges them.
struct Text {
    std::vector<TokenIds> words;  // in letters
    std::vector<PairMerge> merges;
    std::vector<real> letters;
    index_t width;

    explicit Text(const Frame& f)
        : merges(counted_pairs::merges_of(f["merges"])),
          letters(f["letters"].values()),
          width(f["text"].size(-1)) {
        for (TokenIds& word : words = counted_pairs::words_of(f["text"]))
            for (index_t& letter : word) letter = id_of(static_cast<real>(letter));
    }
    index_t id_of(real letter) const {
        const auto found = std::find(letters.begin(), letters.end(), letter);
        return found == letters.end() ? unknown : first_letter + (found - letters.begin());
    }
    Tensor tokens(index_t behind = pad) const {
        return counted_pairs::rows_of(merged(words, merges, counted_pairs::apply), width, behind);
    }
};

WrongValue applied_so(Apply apply) {
    return [=](const Frame& f, const Tensor&) {
        const Text text(f);
        return counted_pairs::rows_of(merged(text.words, text.merges, apply), text.width);
    };
}
// Each word by itself.
WrongValue merged_so(void (*merge)(TokenIds& word, const std::vector<PairMerge>& merges)) {
    return [=](const Frame& f, const Tensor&) {
        Text text(f);
        for (TokenIds& word : text.words) merge(word, text.merges);
        return counted_pairs::rows_of(text.words, text.width);
    };
}
// Unknown letters as another token.
WrongValue unknown_as(index_t (*other)(const Text& text)) {
    return [=](const Frame& f, const Tensor&) {
        Text text(f);
        for (TokenIds& word : text.words) std::replace(word.begin(), word.end(), unknown, other(text));
        return text.tokens();
    };
}

std::vector<Mistake> of_unknown() {
    const WrongAt tokens{"tokens", {&step::tokens}};
    return {
        {tokens, "unknown-left-out", "ids of the letters in letters, merged",
         "A letter that is not in the corpus is dropped: the model would read another word.",
         [](const Frame& f, const Tensor&) {
             Text text(f);
             for (TokenIds& word : text.words) std::erase(word, unknown);
             return text.tokens();
         }},
        {tokens, "unknown-is-pad", "ids of text, <pad> for unknown letters",
         "A letter that is not in the corpus became <pad>, which is masked.",
         unknown_as([](const Text&) { return pad; })},
        {tokens, "unknown-is-a-letter", "ids of text, the first letter for unknown ones",
         "A letter that is not in the corpus became the first one that is.",
         unknown_as([](const Text&) { return first_letter; })},
        {tokens, "unknown-is-merged", "ids of text, 4 + A for unknown letters",
         "A letter that is not in the corpus got the id of the first merged token.",
         unknown_as(
             [](const Text& text) { return first_letter + static_cast<index_t>(text.letters.size()); })},
    };
}

std::vector<Mistake> of_tokens() {
    const WrongAt tokens{"tokens", {&step::tokens}};
    return {
        {tokens, "not-merged", "ids of text", "These are the letters: nothing was merged.",
         [](const Frame& f, const Tensor&) {
             const Text text(f);
             return counted_pairs::rows_of(text.words, text.width);
         }},
        {tokens, "one-place", "each merge at its first place in a word",
         "A pair is merged only at its first occurrence in a word.", applied_so(at_first_place)},
        {tokens, "from-right", "each merge from the right",
         "Merged from the right: in \"aaa\" the left pair becomes a token.", applied_so(from_right)},
        {tokens, "right-half-stays", "each merge beside its right half",
         "The right half of a merged pair remains after the new token.", applied_so(beside_right_half)},
        {tokens, "last-merge-first", "merges from the last to the first",
         "The merges are applied in reverse order; a later one needs the tokens of an earlier one.",
         [](const Frame& f, const Tensor&) {
             Text text(f);
             std::reverse(text.merges.begin(), text.merges.end());
             return text.tokens();
         }},
        {tokens, "text-order", "the first pair of the word that any merge joins",
         "The first possible merge in the word is applied instead of the one learned first.",
         merged_so(merge_in_text_order)},
        {tokens, "longest-first", "from the left the longest matching token",
         "The longest matching token is taken, as in WordPiece; here the order of merges decides.",
         merged_so([](TokenIds& word, const std::vector<PairMerge>& merges) {
             take_longest(word, longest_first(merges));
         })},
        {tokens, "gaps", "<pad> for the right half of each merge",
         "A merged pair leaves a gap: its right half became <pad>, and nothing moved up.",
         [](const Frame& f, const Tensor&) {
             const Text text(f);
             std::vector<real> ids = counted_pairs::rows_of(text.words, text.width).values();
             for (const PairMerge& merge : text.merges)
                 for (std::size_t i = 1; i < ids.size(); ++i)
                     if (i % static_cast<std::size_t>(text.width) > 0 &&
                         ids[i - 1] == static_cast<real>(merge.left) &&
                         ids[i] == static_cast<real>(merge.right))
                         ids[i - 1] = static_cast<real>(merge.joined), ids[i] = pad;
             return Tensor(f["text"].shape(), ids);
         }},
        {tokens, "pad-ignored", "−1 after the tokens",
         "Padded with −1, which is only for labels: no token has that id.",
         [](const Frame& f, const Tensor&) { return Text(f).tokens(-1); }},
    };
}

}  // namespace

// tokens = the letters of text, merged in the order of merges
std::vector<Mistake> merged_pairs() { return joined({of_unknown(), of_tokens()}); }

}  // namespace glassbox::catalogue
