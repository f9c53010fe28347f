#pragma once
#include <glassbox/layers/encoder_block.h>

namespace glassbox {

namespace steps::decoder_block {
inline constexpr const char* layer = "decoder_block";
inline constexpr StepInfo dropout1 = detail::dropout_step(layer, "dropout1");
inline constexpr StepInfo residual1 = encoder_block::residual1.of(layer);
inline constexpr StepInfo norm1 = encoder_block::norm1.of(layer);
inline constexpr StepInfo dropout2 = detail::dropout_step(layer, "dropout2");
inline constexpr StepInfo residual2 = encoder_block::residual2.of(layer);
inline constexpr StepInfo norm2 = norm_step(layer, "norm2");
inline constexpr StepInfo dropout3 = detail::dropout_step(layer, "dropout3");
inline constexpr StepInfo residual3{layer, "residual3", "{0} + {1}", "Added a third time."};
inline constexpr StepInfo norm3 = norm_step(layer, "norm3");
}  // namespace steps::decoder_block

// The block in one line, like formula() for an encoder block.
[[nodiscard]] std::string decoder_formula(const BlockConfig& config);

// One block of a decoder: causal self-attention, attention to the encoder's output, feed-forward, each with a
// residual and a norm (fourth document, "Decoder"; Vaswani et al. 2017, section 3.1). x (…, T, d_model),
// memory (…, n_k, d_model). `mask` is the target's padding mask, which is combined with the causal one unless
// it already is, by the config;
// `memory_mask` is the padding mask of the memory. Steps: self_attn/… residual1 norm1 cross_attn/… residual2
// norm2 mlp/… residual3 norm3.
class DecoderBlock {
  public:
    // Norms have γ = 1 and β = 0, all other parameters are 0. Throws Error for settings that only an encoder
    // block has: a shared norm, a mask that is not passed on, dropout after norms.
    explicit DecoderBlock(const BlockConfig& config);

    // With a cache, x continues the sequence whose keys and values are kept there.
    Tensor operator()(const Tensor& x, const Tensor& memory, const Mask& mask = {},
                      const Mask& memory_mask = {}, BlockCache* cache = nullptr) const;

    const BlockConfig& config() const { return config_; }
    void parameters(Parameters& all);

    MultiHeadAttention self_attn, cross_attn;
    FeedForward mlp;
    LayerNorm norm1, norm2, norm3;

  private:
    Tensor post_norm(const Tensor& x, const Tensor& memory, const Mask& mask, const Mask& memory_mask,
                     BlockCache* cache) const;
    Tensor pre_norm(const Tensor& x, const Tensor& memory, const Mask& mask, const Mask& memory_mask,
                    BlockCache* cache) const;
    Tensor self_attended(const Tensor& x, const Mask& mask, BlockCache* cache) const;
    Tensor cross_attended(const Tensor& x, const Tensor& memory, const Mask& mask, BlockCache* cache) const;
    Tensor transformed(const Tensor& x) const;

    BlockConfig config_;
};

}  // namespace glassbox
