#pragma once
#include <optional>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// The keys and values of one attention layer, kept while a sequence is written position by position:
// attention computes those of the new positions only (Vaswani et al. 2017 compute all at every step, with the
// same result). Attention to a memory keeps the memory's instead, computed at the first step. It cannot be
// copied, because appending writes behind the kept numbers, in place.
class KeyValueCache {
  public:
    KeyValueCache() = default;
    KeyValueCache(KeyValueCache&&) = default;
    KeyValueCache& operator=(KeyValueCache&&) = default;

    index_t length() const { return length_; }  // the number of positions kept
    // Throws Error unless all keys and values kept here are of the layer with these weights.
    void check_layer(const Tensor& weights);
    // The same of the memory that they were computed from: undefined for self-attention.
    void check_memory(const Tensor& memory);
    // Of all positions so far: (…, h, length, d_h), views. Throws Error for an empty cache.
    [[nodiscard]] Tensor K() const { return kept(keys_); }
    [[nodiscard]] Tensor V() const { return kept(values_); }

    // K ← K ‖ K_new,  V ← V ‖ V_new: (…, h, n, d_h). While a Trace or a Tape is recording, by the op concat;
    // otherwise in place, where memory grows by doubling.
    void append(const Tensor& K_new, const Tensor& V_new);

    // Sequence i of the batch becomes what sequence rows[i] was: finished ones are dropped, and beams branch.
    // Needs a batch axis, (batch, h, length, d_h).
    void select_rows(const std::vector<index_t>& rows);

  private:
    Tensor kept(const Tensor& all) const;

    Tensor keys_, values_;  // (…, h, capacity, d_h), of which the first `length_` positions are in use
    index_t length_ = 0;
    Tensor::Id layer_ = 0;                // the id of its weights; 0: none yet, or not said
    std::optional<bool> is_of_memory_{};  // not said of what was appended by hand
    Tensor memory_;                       // undefined once its rows were selected
};

// The caches of one block; an encoder block has no cross-attention.
struct BlockCache {
    KeyValueCache self_attn, cross_attn;
};

// The caches of a stack of blocks.
struct StackCache {
    std::vector<BlockCache> layers;

    explicit StackCache(std::size_t blocks) : layers(blocks) {}
    index_t length() const { return layers[0].self_attn.length(); }  // the number of positions read so far
    void select_rows(const std::vector<index_t>& rows);
};

}  // namespace glassbox
