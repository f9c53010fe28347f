#pragma once
#include <glassbox/layers/decoder_block.h>
#include <glassbox/models/encoder.h>

namespace glassbox {

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

}  // namespace glassbox
