#include <glassbox/text/detail/pre_token_counts.h>

#include <algorithm>
#include <unordered_map>

#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/format.h>
#include <glassbox/text/unicode.h>
#include <glassbox/text/vocabulary.h>

namespace glassbox::detail {
namespace {

// Counts in the order of first occurrence.
class Counter {
  public:
    void add(std::string_view pre_token, std::int64_t count) {
        if (const auto known = places_.find(pre_token); known != places_.end()) {
            counts_[known->second].count += count;
            return;
        }
        places_.emplace(pre_token, counts_.size());
        counts_.push_back({std::string(pre_token), count});
    }
    void add(const Counter& other) {
        for (const auto& [pre_token, count] : other.counts_) add(pre_token, count);
    }
    std::vector<PreTokenCount> take() { return std::move(counts_); }

  private:
    std::unordered_map<std::string, std::size_t, StringHash, std::equal_to<>> places_;
    std::vector<PreTokenCount> counts_;
};

}  // namespace

std::string normal_text(std::string_view text, bool lower_case) {
    std::string normal = nfc(text);
    return lower_case ? nfc(glassbox::lower_case(normal)) : normal;
}

std::vector<PreTokenCount> count_pre_tokens(const std::vector<std::string>& lines, bool lower_case,
                                            const SplitLine& split) {
    const auto count = static_cast<index_t>(lines.size());
    const index_t grain = std::max<index_t>(256, (count + 15) / 16);
    std::vector<Counter> blocks(static_cast<std::size_t>((count + grain - 1) / grain));
    parallel_for(count, grain, [&](index_t begin, index_t end) {
        Counter& counter = blocks[static_cast<std::size_t>(begin / grain)];
        for (index_t i = begin; i < end; ++i) {
            try {
                const std::string normal = normal_text(lines[static_cast<std::size_t>(i)], lower_case);
                for (const std::string_view pre_token : split(normal)) counter.add(pre_token, 1);
            } catch (const Error& error) {
                fail("corpus: line {}: {}", i + 1, error.what());
            }
        }
    });
    Counter all;
    for (const Counter& block : blocks) all.add(block);
    return all.take();
}

Vocabulary learned_words(std::vector<PreTokenCount> counts, const TokenizerConfig& config) {
    std::stable_sort(counts.begin(), counts.end(),
                     [](const PreTokenCount& a, const PreTokenCount& b) { return a.count > b.count; });
    Vocabulary vocabulary;
    vocabulary.set_unknown();
    for (const auto& [word, count] : counts) {
        if (count >= config.min_count && vocabulary.size() < config.vocabulary) vocabulary.add(word, count);
        else vocabulary.count_unknown(count);
    }
    return vocabulary;
}

}  // namespace glassbox::detail
