#pragma once
#include <vector>

#include <glassbox/layers/key_value_cache.h>
#include <glassbox/layers/linear.h>
#include <glassbox/layers/mask.h>
#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/observe/step.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

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
    static Heads named_heads(const Tensor& queries, const Tensor& keys, const Tensor& values);
    Tensor combine(const Tensor& values) const;  // steps: concat output
    std::vector<Tensor> heads_of(const Tensor& y, index_t parts) const;
    void check_sequence(const char* name, const Tensor& x) const;
    void check_lengths(const Tensor& x, const Mask& mask) const;
    Linear rows_of(index_t begin, index_t end) const;

    MultiHeadConfig config_;
};

}  // namespace glassbox
