#pragma once
#include <vector>

#include <glassbox/text/vocabulary.h>

namespace glassbox {

// Sentences of token numbers as one tensor (batch, longest), padded at the end, with their lengths.
struct PaddedBatch {
    Tensor tokens;
    std::vector<index_t> lengths;
};
PaddedBatch padded(const std::vector<std::vector<index_t>>& sentences);

// Batches of sentences of similar length: every sentence's number once, sorted by length (of equal lengths in
// the given order), cut into batches of at most `max_sentences` whose padded size, sentences × longest, is at
// most `max_tokens`. A longer sentence is its own batch.
std::vector<std::vector<index_t>> batches_by_length(const std::vector<index_t>& lengths,
                                                    index_t max_sentences, index_t max_tokens);

}  // namespace glassbox
