#pragma once
#include <string>
#include <vector>

#include <glassbox/layers/encoder_block.h>

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

}  // namespace glassbox
