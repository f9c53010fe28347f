#include <glassbox/models/stack.h>

#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

// Decoder(x, memory) = Block_N(… Block_1(x, memory) …, memory)
Tensor Decoder::operator()(Tensor x, const Tensor& memory, const Mask& mask, const Mask& memory_mask,
                           StackCache* cache) const {
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const Scope scope("decoder", static_cast<int>(i));
        x = layers[i](x, memory, mask, memory_mask, cache ? &cache->layers[i] : nullptr);  // (…, T, d_model)
    }
    if (!config_.final_norm) return x;
    const Scope scope("decoder");
    return named(steps::stack::norm, norm(x));
}

Decoder::Decoder(const StackConfig& config)
    : norm(config.block.d_model(), config.block.norm), config_(config) {
    if (config.layers < 1) fail("decoder: needs at least 1 block, got {}", config.layers);
    for (index_t i = 0; i < config.layers; ++i) layers.emplace_back(config.block);
}

void Decoder::parameters(Parameters& all) {
    all("layers", layers);
    if (config_.final_norm) all("norm", norm);
}

}  // namespace glassbox
