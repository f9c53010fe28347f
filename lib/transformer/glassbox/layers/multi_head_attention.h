#pragma once
#include <optional>
#include <vector>

#include <glassbox/layers/linear.h>
#include <glassbox/layers/mask.h>
#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

// The keys and values of one attention layer, kept while a sequence is written position by position:
// attention computes those of the new positions only (Vaswani et al. 2017 compute all at every step, with the
// same result). Attention to a memory keeps the memory's instead, computed at the first step. It cannot be
// copied, because appending writes after the kept numbers, in place.
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
    // For all positions so far: (…, h, length, d_h), views. Throws Error for an empty cache.
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
    Tensor::Id layer_ = 0;                // the id of its weights; 0: none yet, or unknown
    std::optional<bool> is_of_memory_{};  // unknown for what was appended by hand
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

namespace steps::multi_head_attention {
inline constexpr const char* layer = "multi_head_attention";
// The layer in one line, of one sequence and of two.
inline constexpr const char* formula =
    "MultiHead(x) = Concat(head_1, …, head_h) W_O,  head_i = Attention(x W_Q,i, x W_K,i, x W_V,i)";
inline constexpr const char* cross_formula =
    "MultiHead(x, memory) = Concat(head_1, …, head_h) W_O,  head_i = Attention(x W_Q,i, memory W_K,i, memory "
    "W_V,i)";
inline constexpr StepInfo x{layer, "x", "", "The sequence itself: one position per row."};
inline constexpr StepInfo memory{layer, "memory", "",
                                 "The other sequence, from which keys and values are computed."};
inline constexpr StepInfo qkv{layer, "qkv", "x W_qkvᵀ{2? + b}",
                              "Queries, keys and values of all heads: one product, three times as wide."};
inline constexpr StepInfo q{layer, "q", "x W_Qᵀ{2? + b}",
                            "The queries of all heads, from the sequence that attends."};
inline constexpr StepInfo kv{layer, "kv", "memory W_KVᵀ{2? + b}",
                             "The keys and values of all heads, from the sequence attended to."};
inline constexpr StepInfo Q{layer, "Q", "{0}, Q's part, one matrix per head",
                            "What each position looks for, head by head."};
inline constexpr StepInfo K{layer, "K", "{0}, K's part, one matrix per head",
                            "What each position offers, head by head."};
inline constexpr StepInfo V{layer, "V", "{0}, V's part, one matrix per head",
                            "What each position passes on, head by head."};
// With a cache: the keys and values of earlier positions are kept, those of the new ones are appended.
inline constexpr StepInfo K_cache{layer, "K_cache", "",
                                  "The keys of all earlier positions, kept as they were."};
inline constexpr StepInfo V_cache{layer, "V_cache", "", "The values of all earlier positions, kept too."};
inline constexpr StepInfo K_new = K.of(layer, "K_new");
inline constexpr StepInfo V_new = V.of(layer, "V_new");
inline constexpr StepInfo K_grown{layer, "K", "K_cache ‖ K_new", "The keys of all positions so far."};
inline constexpr StepInfo V_grown{layer, "V", "V_cache ‖ V_new", "The values of all positions so far."};
inline constexpr StepInfo K_kept{layer, "K", "", "The memory's keys, kept since the first step."};
inline constexpr StepInfo V_kept{layer, "V", "", "The memory's values, kept since the first step."};
inline constexpr StepInfo concat{layer, "concat", "Concat(head_1, …, head_h)",
                                 "The heads' outputs side by side, one row per position."};
inline constexpr StepInfo output{layer, "output", "concat W_Oᵀ{2? + b_O}",
                                 "The heads' outputs mixed by one more linear layer."};
}  // namespace steps::multi_head_attention

// The order of rows in the stacked projection: [q‖k‖v] for head 1, for head 2, … (the tutorials, the report),
// or all queries, all keys, all values (torch.nn.MultiheadAttention).
enum class QkvLayout { per_head, stacked };
template <>
struct EnumWords<QkvLayout> {
    static constexpr const char* what = "qkv_layout";
    static constexpr Word<QkvLayout> all[] = {{QkvLayout::per_head, "per_head"},
                                              {QkvLayout::stacked, "stacked"}};
};

struct MultiHeadConfig {
    index_t d_model = 512, heads = 8;  // the width of a head is d_h = d_model / heads
    index_t d_in = 0;                  // width of x; 0: d_model
    bool bias = true;
    QkvLayout qkv_layout = QkvLayout::per_head;
    double mask_fill = default_mask_fill;  // the score of a hidden key
};

struct MultiHeadResult {
    Tensor output;     // (…, T, d_model)
    Tensor attention;  // (…, h, T, n_k): the attention maps, rows sum to 1
};

// MultiHead(Q, K, V) = Concat(head_1, …, head_h) W_O, head_i = Attention(Q W_Q,i, K W_K,i, V W_V,i) (report
// §3; Vaswani et al. 2017, section 3.2.2). x (…, T, d_in); masks are for scores (…, h, T, n_k). Throws Error
// when the heads do not divide d_model, or shapes do not fit.
class MultiHeadAttention {
  public:
    explicit MultiHeadAttention(const MultiHeadConfig& config);  // all parameters 0

    // Self-attention. Steps: x qkv Q K V logits scaled [masked] attention values concat output. With a cache,
    // x continues the sequence whose keys and values are kept there, and its own are appended. Steps then: x
    // qkv Q K_cache V_cache K_new V_new K V ….
    Tensor operator()(const Tensor& x, const Mask& mask = {}, KeyValueCache* cache = nullptr) const;
    // Queries from x, keys and values from memory (…, n_k, d_in). Steps: x memory q kv Q K V … output. With a
    // cache, keys and values are computed at the first call and kept: the memory must stay the same.
    Tensor operator()(const Tensor& x, const Tensor& memory, const Mask& mask,
                      KeyValueCache* cache = nullptr) const;
    // Self-attention that also returns its maps, always computed step by step.
    MultiHeadResult with_maps(const Tensor& x, const Mask& mask = {}) const;

    const MultiHeadConfig& config() const { return config_; }
    void parameters(Parameters& all) {
        all("qkv_proj", qkv_proj), all("o_proj", o_proj);
        all.choice("heads", config_.heads);
        if (config_.heads > 1)
            all.choice("qkv_layout", name(config_.qkv_layout));  // of one head they are one
    }

    Linear qkv_proj;  // (3 d_model, d_in): rows in the order of qkv_layout
    Linear o_proj;    // (d_model, d_model)

  private:
    struct Heads {
        Tensor Q, K, V;  // (…, h, T, d_h)
    };
    Heads project(const Tensor& x, KeyValueCache* cache = nullptr) const;              // steps: x qkv Q K V
    Heads project(const Tensor& x, const Tensor& memory, KeyValueCache* cache) const;  // x memory q kv Q K V
    Heads project_queries(const Tensor& x, const KeyValueCache& cache) const;          // steps: x q Q K V
    static Heads extended(const Tensor& queries, const Tensor& keys, const Tensor& values,
                          KeyValueCache& cache);
    Tensor named_x(const Tensor& input) const;
    static Heads named_heads(const Tensor& queries, const Tensor& keys, const Tensor& values);
    Tensor combine(const Tensor& values) const;  // steps: concat output
    std::vector<Tensor> heads_of(const Tensor& y, index_t parts) const;
    void check_sequence(const char* name, const Tensor& x) const;
    void check_lengths(const Tensor& x, const Mask& mask) const;
    Linear rows_of(index_t begin, index_t end) const;

    MultiHeadConfig config_;
};

namespace steps::projection {
inline constexpr const char* layer = "projection";
inline constexpr StepInfo x = multi_head_attention::x.of(layer);
inline constexpr StepInfo W_Q{layer, "W_Q", "",
                              "Maps a position to its query: one column for each of the d_k features."};
inline constexpr StepInfo W_K{layer, "W_K", "", "Maps a position to its key."};
inline constexpr StepInfo W_V{layer, "W_V", "",
                              "Maps a position to its value: one column for each of the d_v features."};
inline constexpr StepInfo Q{layer, "Q", "x W_Q", scaled_dot_product::Q.sentence};
inline constexpr StepInfo K{layer, "K", "x W_K", scaled_dot_product::K.sentence};
inline constexpr StepInfo V{layer, "V", "x W_V", scaled_dot_product::V.sentence};
}  // namespace steps::projection

// The three matrices that project a sequence to queries, keys and values, as in the formulas: multiplied from
// the right, without a bias.
struct Projection {
    Tensor W_Q, W_K;  // (d, d_k)
    Tensor W_V;       // (d, d_v)
};
struct Projected {
    Tensor Q, K, V;  // (…, T, d_k), (…, T, d_k), (…, T, d_v)
};

// Q = x W_Q, K = x W_K, V = x W_V (report §2). x (…, T, d). Throws Error when shapes do not fit.
Projected project(const Tensor& x, const Projection& weights);

}  // namespace glassbox
