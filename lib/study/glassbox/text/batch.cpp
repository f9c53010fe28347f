#include <glassbox/text/batch.h>

#include <algorithm>
#include <numeric>

#include <glassbox/tensor/format.h>

namespace glassbox {

PaddedBatch padded(const std::vector<std::vector<index_t>>& sentences) {
    std::size_t longest = 0;
    for (const auto& sentence : sentences) longest = std::max(longest, sentence.size());
    std::vector<real> tokens;
    PaddedBatch batch;
    for (const auto& sentence : sentences) {
        for (const index_t id : sentence) tokens.push_back(static_cast<real>(id));
        tokens.insert(tokens.end(), longest - sentence.size(), static_cast<real>(Vocabulary::padding));
        batch.lengths.push_back(static_cast<index_t>(sentence.size()));
    }
    batch.tokens =
        Tensor(Shape{static_cast<index_t>(sentences.size()), static_cast<index_t>(longest)}, tokens);
    return batch;
}

std::vector<std::vector<index_t>> batches_by_length(const std::vector<index_t>& lengths,
                                                    index_t max_sentences, index_t max_tokens) {
    if (max_sentences < 1 || max_tokens < 1)
        fail("batches: needs at least 1 sentence and 1 token, got {} and {}", max_sentences, max_tokens);
    const auto length = [&](index_t sentence) { return lengths[static_cast<std::size_t>(sentence)]; };
    std::vector<index_t> order(lengths.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](index_t a, index_t b) { return length(a) < length(b); });
    std::vector<std::vector<index_t>> batches;
    for (const index_t sentence : order) {
        const index_t size = batches.empty() ? 0 : static_cast<index_t>(batches.back().size());
        // Ascending lengths: the newest is the longest, to which the others are padded.
        const bool is_full = size == 0 || size == max_sentences || length(sentence) > max_tokens / (size + 1);
        if (is_full) batches.emplace_back();
        batches.back().push_back(sentence);
    }
    return batches;
}

}  // namespace glassbox
