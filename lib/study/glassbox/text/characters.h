#pragma once
#include <glassbox/text/tokenizer.h>

namespace glassbox {

// A token for each character as readers see it, spaces included: a grapheme cluster, which may be several
// code points (an emoji with a skin tone; a letter with two accents). Its vocabulary has <unk>.
class CharacterTokenizer final : public Tokenizer {
  public:
    CharacterTokenizer(Vocabulary vocabulary, bool lower_case)
        : vocabulary_(std::move(vocabulary)), lower_case_(lower_case) {}

    std::vector<std::string> tokens(std::string_view text) const override;
    std::string shown(index_t id) const override;
    std::string decode(const std::vector<index_t>& ids) const override;
    const Vocabulary& vocabulary() const override { return vocabulary_; }
    std::string json() const override;

    std::string normalized(std::string_view text) const override;
    std::vector<std::string_view> pre_tokens(std::string_view normalized) const override;
    void encode_pre_token(std::string_view pre_token, std::vector<index_t>& ids) const override;

  private:
    Vocabulary vocabulary_;
    bool lower_case_;
};

// The vocabulary: <unk>, then the characters from the most frequent on; of equally frequent ones the first in
// the corpus.
std::shared_ptr<const CharacterTokenizer> learn_characters(const std::vector<std::string>& corpus,
                                                           const TokenizerConfig& config);

}  // namespace glassbox
