#pragma once
#include <glassbox/text/tokenizer.h>

namespace glassbox {

// WordPiece as BERT uses it (Devlin et al. 2018). The text is cleaned of control characters; every Chinese
// character and punctuation mark is a separate word; in lower case, if asked, and then without accents. A
// word is cut from the left into the longest pieces that the vocabulary has; those that do not begin the word
// are written with ## before them. A word that cannot be cut, or of more than 100 characters, is [UNK].
class WordPieceTokenizer final : public Tokenizer {
  public:
    static constexpr const char* kind = "wordpiece";  // in its JSON

    // The vocabulary must have an unknown word.
    WordPieceTokenizer(Vocabulary vocabulary, bool lower_case, index_t shift)
        : vocabulary_(std::move(vocabulary)), lower_case_(lower_case), shift_(shift) {}

    std::vector<std::string> tokens(std::string_view text) const override;
    // Words with a space between them, but none before . , ! ? ; : ) ] } % and after ( [ {, and none on
    // either side of an apostrophe: the tokens do not tell how the text was written.
    std::string decode(const std::vector<index_t>& ids) const override;
    const Vocabulary& vocabulary() const override { return vocabulary_; }
    index_t shift() const override { return shift_; }
    std::string json() const override;

    std::string normalized(std::string_view text) const override;
    std::vector<std::string_view> pre_tokens(std::string_view normalized) const override;
    void encode_pre_token(std::string_view piece, std::vector<index_t>& ids) const override;

  private:
    Vocabulary vocabulary_;
    bool lower_case_;
    index_t shift_;
};

// BERT's vocab.txt: a token in each line, its id the line's number from 0; [UNK] among them. Throws FileError
// and IoError.
std::shared_ptr<const WordPieceTokenizer> read_wordpiece(const std::filesystem::path& file, bool lower_case);

}  // namespace glassbox
