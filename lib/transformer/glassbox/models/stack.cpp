#include <glassbox/models/stack.h>

#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

// Encoder(x) = Block_N(… Block_1(x))
Tensor Encoder::operator()(Tensor x, const Mask& mask, StackCache* cache) const {
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const Scope scope(name_, static_cast<int>(i));
        x = layers[i](x, mask, cache ? &cache->layers[i] : nullptr);  // (…, T, d_model)
    }
    if (!config_.final_norm) return x;
    const Scope scope(name_);
    return named(steps::stack::norm, norm(x));
}

Encoder::Encoder(const StackConfig& config, std::string name)
    : norm(config.block.d_model(), config.block.norm), config_(config), name_(std::move(name)) {
    if (config.layers < 1) fail("encoder: needs at least 1 block, got {}", config.layers);
    for (index_t i = 0; i < config.layers; ++i) layers.emplace_back(config.block);
}

void Encoder::parameters(Parameters& all) {
    all("layers", layers);
    if (config_.final_norm) all("norm", norm);
}

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

std::vector<AttentionMap> attention_maps(const std::function<void()>& model) {
    Trace trace;
    model();
    const std::string_view last = "/attention";
    std::vector<AttentionMap> maps;
    for (const Trace::Step& step : trace.steps())
        if (step.path.ends_with(last))
            maps.push_back({step.path.substr(0, step.path.size() - last.size()), step.value});
    return maps;
}

}  // namespace glassbox
