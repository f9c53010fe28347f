#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/tensor/words.h>
#include <glassbox/text/vocabulary.h>

namespace glassbox {

// A text ⇄ the ids of its tokens (fourth document, "tokenization"). A tokenizer does not change: one can be
// used on several threads. All functions that take text throw Error if it is not UTF-8.
//
// A text is tokenized in three steps: it is normalised; it is split into pre-tokens, which are tokenized by
// themselves, so that a pre-token that occurs again need not be; and the tokens of each pre-token are looked
// up.
class Tokenizer {
  public:
    virtual ~Tokenizer() = default;

    // As the tokens are shown: those that the vocabulary lacks as written, a space as ␣, and bytes of
    // byte-level tokens that are not a complete character as \xc3.
    virtual std::vector<std::string> tokens(std::string_view text) const = 0;
    virtual std::string shown(index_t id) const { return vocabulary().word(id); }  // one token

    // Without <start> and <end>; tokens that the vocabulary lacks have the id of <unk>.
    std::vector<index_t> encode(std::string_view text) const;
    // The same for many lines, on all threads. Each distinct pre-token is tokenized once by each thread.
    std::vector<std::vector<index_t>> encode(const std::vector<std::string>& lines) const;
    // The text of the tokens, with the spaces put back; <pad>, <start> and <end> are left out. Throws Error
    // for an id that is not in the vocabulary.
    virtual std::string decode(const std::vector<index_t>& ids) const = 0;

    virtual const Vocabulary& vocabulary() const = 0;
    // How much greater ids are here than in the file that the vocabulary was read from: 3 where the file does
    // not begin with <pad>, <start> and <end>, which are put before its tokens.
    virtual index_t shift() const { return 0; }
    virtual std::string json() const = 0;  // complete: see tokenizer_from_json

    virtual std::string normalized(std::string_view text) const = 0;
    virtual std::vector<std::string_view> pre_tokens(std::string_view normalized) const = 0;
    virtual void encode_pre_token(std::string_view pre_token,
                                  std::vector<index_t>& ids) const = 0;  // appends
};

enum class TokenKind { words, characters, bpe };
template <>
struct EnumWords<TokenKind> {
    static constexpr const char* what = "tokens";
    static constexpr Word<TokenKind> all[] = {
        {TokenKind::words, "words"}, {TokenKind::characters, "characters"}, {TokenKind::bpe, "bpe"}};
};

struct TokenizerConfig {
    TokenKind kind = TokenKind::words;
    index_t vocabulary = 8000;  // at most this many tokens, with the specials
    index_t min_count = 1;      // rarer words, characters or pairs are left out
    bool lower_case = false;
};

// A tokenizer whose vocabulary is learned from a corpus. The ids do not depend on the number of threads.
// Throws UsageError for sizes out of range.
std::shared_ptr<const Tokenizer> learn_tokenizer(const std::vector<std::string>& corpus,
                                                 const TokenizerConfig& config);

// Output of Tokenizer::json(). Throws FileError if it is anything else; `name` is the file in messages.
std::shared_ptr<const Tokenizer> tokenizer_from_json(std::string_view json,
                                                     const std::string& name = "tokenizer");

// A tokenizer from files: one that Glassbox wrote (.json); byte-level BPE as GPT-2's, of which the vocabulary
// (vocab.json), the merges beside it (merges.txt) or their folder is given; WordPiece as BERT's (vocab.txt).
// Whether a WordPiece model was made for text in lower case, without accents, is not in its file. Throws
// FileError and IoError.
std::shared_ptr<const Tokenizer> read_tokenizer(const std::filesystem::path& path, bool lower_case = false);

}  // namespace glassbox
