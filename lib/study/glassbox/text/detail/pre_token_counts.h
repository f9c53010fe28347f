#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/text/tokenizer.h>

namespace glassbox::detail {

struct PreTokenCount {
    std::string pre_token;
    std::int64_t count;
};

// Splits a normalised line: Tokenizer::pre_tokens.
using SplitLine = std::function<std::vector<std::string_view>(std::string_view normalized)>;

// How often each pre-token occurs in a corpus, in the order of first occurrence, on all threads. Lines are
// normalised: NFC, and in lower case if asked. Throws Error with the line where one is not UTF-8.
std::vector<PreTokenCount> count_pre_tokens(const std::vector<std::string>& lines, bool lower_case,
                                            const SplitLine& split);

// NFC, then lower case if asked, and NFC again where that took a character apart.
std::string normal_text(std::string_view text, bool lower_case);

// <pad>, <start>, <end>, <unk>, then the words that occur `min_count` times or more, from the most frequent
// on; of equally frequent ones that which comes first in `counts`. Those left out are counted as <unk>.
Vocabulary learned_words(std::vector<PreTokenCount> counts, const TokenizerConfig& config);

}  // namespace glassbox::detail
