#pragma once
#include <glassbox/text/tokenizer.h>

namespace glassbox {

// The words and punctuation marks of a text, as parts of it. White space separates; beyond that:
//   - letters, digits and marks in a row are a word, whatever the script;
//   - an apostrophe between letters ends French elisions (l' d' j' m' t' s' c' n' qu' jusqu' lorsqu' puisqu'
//     quoiqu'): l'homme is l' homme. After anything else it belongs to the word, so that English contractions
//     and possessives are one word: don't, I'm, Tom's; so is aujourd'hui;
//   - hyphens between letters or digits belong to the word (week-end), points, commas and colons between
//     digits to the number (3.14);
//   - every other character is its own token: étudiant. is étudiant and a full stop.
[[nodiscard]] std::vector<std::string_view> words_and_marks(std::string_view normalized);

// Whether a token of the above is a word, not a punctuation mark; and whether it is an elision, l'.
[[nodiscard]] bool is_word(std::string_view token);
[[nodiscard]] bool is_elision(std::string_view token);

// Tokens are words and punctuation marks. Its vocabulary has <unk>.
class WordTokenizer final : public Tokenizer {
  public:
    // How a punctuation mark is written: without a space before it, after it.
    struct Joined {
        bool before = false, after = false;
    };

    // joined: for each id.
    WordTokenizer(Vocabulary vocabulary, std::vector<Joined> joined, bool lower_case);

    std::vector<std::string> tokens(std::string_view text) const override;
    // Spaces as in the corpus: punctuation marks as most of their occurrences were written, quotation marks "
    // in pairs, none after an elision.
    std::string decode(const std::vector<index_t>& ids) const override;
    const Vocabulary& vocabulary() const override { return vocabulary_; }
    std::string json() const override;

    std::string normalized(std::string_view text) const override;
    std::vector<std::string_view> pre_tokens(std::string_view normalized) const override;  // at white space
    void encode_pre_token(std::string_view pre_token, std::vector<index_t>& ids) const override;

  private:
    Vocabulary vocabulary_;
    std::vector<Joined> joined_;
    bool lower_case_;
};

// The vocabulary: <unk>, then the words from the most frequent on; of equally frequent ones the first in the
// corpus.
std::shared_ptr<const WordTokenizer> learn_words(const std::vector<std::string>& corpus,
                                                 const TokenizerConfig& config);

}  // namespace glassbox
