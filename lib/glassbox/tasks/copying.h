#pragma once
#include <string_view>

#include <glassbox/tasks/vocabulary.h>
#include <glassbox/tensor/words.h>
#include <glassbox/train/examples.h>

namespace glassbox {

// What is to be written about the symbols that were read: the same, or all in order from the smallest.
enum class Writing { copy, sort };
template <>
struct EnumWords<Writing> {
    static constexpr const char* what = "task";
    static constexpr Word<Writing> all[] = {{Writing::copy, "copy"}, {Writing::sort, "sort"}};
};

struct CopyingConfig {
    Writing writing = Writing::copy;
    index_t count = 10000, symbols = 10;
    index_t shortest = 3, longest = 10;  // how many symbols are read
    std::uint64_t seed = 42;
};

// Small tasks for the whole Transformer. Tokens are a Vocabulary's: 0 <pad>, 1 <start>, 2 <end>, and 3 + s
// for symbol s. Each sequence is drawn from numpy.random.default_rng(seed), its length first. Arrays, all
// padded to the longest there may be, L + 1:
//     source (n, L + 1): the symbols, <end>            source_lengths (n)
//     target (n, L + 1): <start>, the answer           target_lengths (n)
//     labels (n, L + 1): the answer, <end>             padded with −1, which does not count
// The target is the labels shifted by one: at every position the decoder sees what came before and is asked
// for what comes next (teacher forcing).
class CopyingData final : public DataSet {
  public:
    explicit CopyingData(const CopyingConfig& config);  // UsageError for sizes that make no sense

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

// Tokens with their names, for reading: "3 1 <end>".
std::string shown_tokens(const std::vector<index_t>& tokens);

}  // namespace glassbox
