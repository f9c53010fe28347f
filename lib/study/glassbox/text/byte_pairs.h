#pragma once
#include <array>
#include <cstdint>
#include <unordered_map>

#include <glassbox/text/tokenizer.h>

namespace glassbox {

// GPT-2's pre-tokenization, the pre-tokens that no merge crosses:
//     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// contractions, then letters, digits or other characters in a row, each with one space before it if there is
// one; the rest of white space. (Radford et al. 2019.)
[[nodiscard]] std::vector<std::string_view> gpt2_pre_tokens(std::string_view text);

// Each byte as the character that represents it in GPT-2's files: itself if printable in Latin-1, otherwise
// the next from U+0100 on. The space is Ġ.
[[nodiscard]] char32_t byte_character(std::uint8_t byte);

// Byte-level byte-pair encoding (Sennrich et al. 2016; on bytes: Radford et al. 2019). The tokens of a
// pre-token are at first its bytes; then, as long as two neighbours are in the list of merges, those that
// come first in the list, from left to right, become one token. No text is unknown.
class BytePairTokenizer final : public Tokenizer {
  public:
    struct Merge {
        index_t left, right, joined;  // ids
    };
    struct Config {
        bool nfc = true, lower_case = false;
        index_t shift = 0;
    };
    // A merge as it is applied to a pre-token, and the pre-token's tokens after it.
    struct Step {
        std::size_t rank;  // in merges()
        Merge merge;
        std::vector<index_t> tokens;
    };

    // Throws Error if a byte has no token, or a merge's ids are not in the vocabulary.
    BytePairTokenizer(Vocabulary vocabulary, std::vector<Merge> merges, const Config& config);

    std::vector<std::string> tokens(std::string_view text) const override;
    std::string shown(index_t id) const override;
    // Bytes that are not UTF-8 become U+FFFD.
    std::string decode(const std::vector<index_t>& ids) const override;
    const Vocabulary& vocabulary() const override { return vocabulary_; }  // as in GPT-2's files
    index_t shift() const override { return config_.shift; }
    std::string json() const override;

    std::string normalized(std::string_view text) const override;
    std::vector<std::string_view> pre_tokens(std::string_view normalized) const override;
    void encode_pre_token(std::string_view pre_token, std::vector<index_t>& ids) const override;

    const std::vector<Merge>& merges() const { return merges_; }
    index_t length(index_t id) const;                              // of a token, in bytes
    std::vector<index_t> bytes(std::string_view pre_token) const;  // the tokens before the first merge
    std::vector<Step> steps(std::string_view pre_token) const;     // every merge in order

  private:
    struct Found {
        std::size_t rank;
        index_t joined;
    };
    const Found* find(index_t left, index_t right) const;
    template <class OnMerge>
    void merge(std::string_view pre_token, std::vector<index_t>& ids, OnMerge on_merge) const;
    std::string bytes_of(index_t id) const;

    Vocabulary vocabulary_;
    std::vector<Merge> merges_;
    Config config_;
    std::array<index_t, 256> byte_ids_;
    std::unordered_map<std::uint64_t, Found> ranks_;
};

// Learns merges from a corpus: the vocabulary is the specials and the 256 bytes, then the joined tokens in
// the order of their merges. The next merge is that of the two neighbours that occur most often; of equally
// frequent ones that with the smaller id on the left, then on the right. Ends when the vocabulary is full, or
// no two neighbours occur `min_count` times. The same merges as Hugging Face's BpeTrainer with <pad>, <start>
// and <end> as special tokens.
std::shared_ptr<const BytePairTokenizer> learn_byte_pairs(const std::vector<std::string>& corpus,
                                                          const TokenizerConfig& config);

// GPT-2's vocab.json and merges.txt. GPT-2 itself does not normalise: a text in another normal form has other
// tokens, unless config.nfc is set. config.shift is found from the file. Throws FileError and IoError.
std::shared_ptr<const BytePairTokenizer> read_gpt2_files(const std::filesystem::path& vocabulary,
                                                         const std::filesystem::path& merges,
                                                         BytePairTokenizer::Config config = {.nfc = false});

// The same two files. Throws IoError.
void write_gpt2_files(const BytePairTokenizer& tokenizer, const std::filesystem::path& vocabulary,
                      const std::filesystem::path& merges);

}  // namespace glassbox
