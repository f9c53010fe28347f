#pragma once
#include <vector>

#include <glassbox/text/detail/pre_token_counts.h>
#include <glassbox/text/tokenizer.h>

namespace glassbox {

// <pad>, <start>, <end>, <unk>, then the words that occur `min_count` times or more, from the most frequent
// on; of equally frequent ones that which comes first in `counts`. Those left out are counted as <unk>.
Vocabulary learned_words(std::vector<PreTokenCount> counts, const TokenizerConfig& config);

}  // namespace glassbox
