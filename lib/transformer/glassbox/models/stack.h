#pragma once
#include <functional>
#include <string>
#include <vector>

#include <glassbox/layers/decoder_block.h>
#include <glassbox/layers/encoder_block.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

namespace steps::stack {
inline constexpr const char* layer = "stack";
inline constexpr StepInfo norm{layer, "norm", "LayerNorm(the last block's output)",
                               "One more norm after the last block."};
}  // namespace steps::stack

struct StackConfig {
    BlockConfig block{};
    index_t layers = 6;
    bool final_norm = false;  // after the last block: needed by pre-norm stacks, used by torch.nn.Transformer
};

// A stack of encoder blocks: x (…, T, d_model) (report §5; Vaswani et al. 2017, section 3.1). Steps: name/0/…
// name/1/… [name/norm].
class Encoder {
  public:
    explicit Encoder(const StackConfig& config, std::string name = "encoder");  // `name` prefixes its steps

    // With a cache, x continues the sequence whose keys and values are kept there.
    Tensor operator()(Tensor x, const Mask& mask = {}, StackCache* cache = nullptr) const;

    const StackConfig& config() const { return config_; }
    void parameters(Parameters& all);

    std::vector<EncoderBlock> layers;
    LayerNorm norm;

  private:
    StackConfig config_;
    std::string name_;
};

// A stack of decoder blocks, all attending to the same memory: x (…, T, d_model), memory (…, n_k, d_model).
// With a cache, x continues the sequence whose keys and values are kept there. Steps: decoder/0/… decoder/1/…
// [decoder/norm].
class Decoder {
  public:
    explicit Decoder(const StackConfig& config);

    Tensor operator()(Tensor x, const Tensor& memory, const Mask& mask = {}, const Mask& memory_mask = {},
                      StackCache* cache = nullptr) const;

    const StackConfig& config() const { return config_; }
    void parameters(Parameters& all);

    std::vector<DecoderBlock> layers;
    LayerNorm norm;

  private:
    StackConfig config_;
};

// The attention map of one attention layer.
struct AttentionMap {
    std::string path;  // "encoder/0/self_attn"
    Tensor attention;  // (…, h, T, n_k)
};
// Runs `model` under a Trace and returns all its attention maps, in order.
[[nodiscard]] std::vector<AttentionMap> attention_maps(const std::function<void()>& model);

}  // namespace glassbox
