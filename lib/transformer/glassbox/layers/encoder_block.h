#pragma once
#include <glassbox/layers/feed_forward.h>
#include <glassbox/layers/layer_norm.h>
#include <glassbox/layers/multi_head_attention.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

// Where the norm is: after the residual (report §4, Vaswani et al. 2017), or before the sublayer.
enum class NormPlacement { post, pre };
template <>
struct EnumWords<NormPlacement> {
    static constexpr const char* what = "norm";
    static constexpr Word<NormPlacement> all[] = {{NormPlacement::post, "post"}, {NormPlacement::pre, "pre"}};
};

namespace steps::encoder_block {
inline constexpr const char* layer = "encoder_block";
inline constexpr StepInfo dropout1 = detail::dropout_step(layer, "dropout1");
inline constexpr StepInfo residual1{layer, "residual1", "{0} + {1}",
                                    "The sublayer's output is added to its input: nothing is lost."};
inline constexpr StepInfo norm1 =
    norm_step(layer, "norm1", "Each position normalised to mean 0 and variance 1, then γ and β.");
inline constexpr StepInfo norm_dropout1 = detail::dropout_step(layer, "norm_dropout1");
inline constexpr StepInfo dropout2 = detail::dropout_step(layer, "dropout2");
inline constexpr StepInfo residual2{layer, "residual2", "{0} + {1}",
                                    "Added again: the input passes straight through."};
inline constexpr StepInfo norm2 = norm_step(layer, "norm2");
inline constexpr StepInfo norm2_shared =
    norm_step(layer, "norm2", "The same norm again: both sublayers share one γ and β.");
inline constexpr StepInfo norm_dropout2 = detail::dropout_step(layer, "norm_dropout2");
}  // namespace steps::encoder_block

struct BlockConfig {
    MultiHeadConfig attention{};
    FeedForwardConfig mlp{};
    NormConfig norm{};
    NormPlacement placement = NormPlacement::post;
    bool one_norm = false;        // both sublayers of an encoder block share norm1
    bool passes_mask = true;      // an encoder block passes its mask on to attention
    double sublayer_dropout = 0;  // on the output of each sublayer
    double norm_dropout = 0;      // after each norm of an encoder block
    bool causal = true;           // a decoder block adds the causal mask to the one that it is given

    index_t d_model() const { return attention.d_model; }
};

// The block in one line: "y = LayerNorm(x + MultiHead(x)),  z = LayerNorm(y + FFN(y))".
[[nodiscard]] std::string formula(const BlockConfig& config);

// Returns the config. Throws Error, led by `op`, if attention and feed-forward network do not fit together.
const BlockConfig& checked(const char* op, const BlockConfig& config);

// One block of an encoder: self-attention, then a small network applied to every position, each with a
// residual and a norm (report §4). x (…, T, d_model). Steps, post-norm: self_attn/… residual1 norm1
// mlp/hidden mlp/relu mlp/output residual2 norm2. Throws Error when shapes or the mask do not fit.
class EncoderBlock {
  public:
    explicit EncoderBlock(const BlockConfig& config);  // norms have γ = 1, β = 0; all other parameters are 0

    // With a cache, x continues the sequence whose keys and values are kept there.
    Tensor operator()(const Tensor& x, const Mask& mask = {}, BlockCache* cache = nullptr) const;

    const BlockConfig& config() const { return config_; }
    void parameters(Parameters& all);

    MultiHeadAttention self_attn;
    FeedForward mlp;
    LayerNorm norm1, norm2;  // norm2 is unused with one_norm

  private:
    Tensor post_norm(const Tensor& x, const Mask& mask, BlockCache* cache) const;
    Tensor pre_norm(const Tensor& x, const Mask& mask, BlockCache* cache) const;
    Tensor attended(const Tensor& x, const Mask& mask, BlockCache* cache) const;
    Tensor transformed(const Tensor& x) const;
    const StepInfo& second_norm_step() const {
        return config_.one_norm ? steps::encoder_block::norm2_shared : steps::encoder_block::norm2;
    }
    const LayerNorm& second_norm() const { return config_.one_norm ? norm1 : norm2; }

    BlockConfig config_;
};

}  // namespace glassbox
