#pragma once
#include <string_view>

#include <glassbox/tensor/words.h>
#include <glassbox/text/vocabulary.h>
#include <glassbox/train/examples.h>

namespace glassbox {

// The answer to a sequence of symbols: the same sequence, or the symbols sorted in ascending order.
enum class Writing { copy, sort };
template <>
struct EnumWords<Writing> {
    static constexpr const char* what = "task";
    static constexpr Word<Writing> all[] = {{Writing::copy, "copy"}, {Writing::sort, "sort"}};
};

struct CopyingConfig {
    Writing writing = Writing::copy;
    index_t count = 10000, symbols = 10;
    index_t shortest = 3, longest = 10;  // lengths of the sequences, in symbols
    std::uint64_t seed = 42;
};

// Small tasks for an encoder–decoder Transformer. Tokens are numbered as in Vocabulary: 0 <pad>, 1 <start>,
// 2 <end>, and 3 + s for symbol s. Each sequence is drawn from numpy.random.default_rng(seed), its length
// first. Arrays, all padded to the maximum length, L + 1:
//     source (n, L + 1): the symbols, <end>            source_lengths (n)
//     target (n, L + 1): <start>, the answer           target_lengths (n)
//     labels (n, L + 1): the answer, <end>             padded with −1, which the loss ignores
// The target is the labels shifted by one (teacher forcing): at every position the decoder reads the tokens
// before and predicts the next.
class CopyingData final : public DataSet {
  public:
    explicit CopyingData(const CopyingConfig& config);  // throws UsageError for sizes out of range

    index_t size() const override { return config_.count; }
    Examples at(const std::vector<index_t>& rows) const override;

    const CopyingConfig& config() const { return config_; }
    index_t vocabulary() const { return first_symbol + config_.symbols; }
    index_t width() const { return config_.longest + 1; }
    std::vector<index_t> source(index_t row) const;  // tokens, <end> last
    std::vector<index_t> answer(index_t row) const;  // tokens, <end> last

    static constexpr index_t first_symbol = 3;

  private:
    std::vector<index_t> tokens(index_t row) const;

    CopyingConfig config_;
    std::vector<std::uint8_t> symbols_;  // (count, longest)
    std::vector<std::uint8_t> lengths_;
};

// Tokens as text: "3 1 <end>".
std::string token_text(const std::vector<index_t>& tokens);

}  // namespace glassbox
