#include "subject/block_header.h"

#include <fmt/format.h>

#include <glassbox/ops/dropout.h>

#include "cli/plural.h"
namespace tracer {

std::function<void()> trained(const Making& m, std::function<void()> forward) {
    if (m.typed.dropout.empty() || probability("--dropout", m.typed.dropout) == 0) return forward;
    return [forward = std::move(forward), seed = seed_number("--seed", m.typed.seed)] {
        const glassbox::Dropping dropping(seed);
        forward();
    };
}

index_t positions(const Tensor& x) { return x.rank() > 1 ? x.size(-2) : x.numel(); }

std::string stack_result(const std::string& name, const glassbox::StackConfig& config) {
    if (config.final_norm) return name + "/norm";
    const bool post = config.block.placement == glassbox::NormPlacement::post, decodes = name == "decoder";
    return fmt::format("{}/{}/{}{}", name, config.layers - 1, post ? "norm" : "residual", decodes ? 3 : 2);
}

std::vector<std::string> decoder_header(const glassbox::BlockConfig& block, const Tensor& x,
                                        const Tensor& memory, index_t layers) {
    std::vector<std::string> lines = block_header(block, positions(x), layers);
    lines[0] = block.placement == glassbox::NormPlacement::post
                   ? "y = LayerNorm(x + CausalMultiHead(x)),  z = LayerNorm(y + MultiHead(y, memory)),  "
                     "LayerNorm(z + FFN(z))"
                   : "y = x + CausalMultiHead(LayerNorm(x)),  z = y + MultiHead(LayerNorm(y), memory),  z + "
                     "FFN(LayerNorm(z))";
    lines.push_back("memory: " + counted(positions(memory), "position"));
    return lines;
}

std::vector<std::string> block_header(const glassbox::BlockConfig& block, index_t T, index_t layers) {
    const char* formula = block.placement == glassbox::NormPlacement::post
                              ? "y = LayerNorm(x + MultiHead(x)),  z = LayerNorm(y + FFN(y))"
                              : "y = x + MultiHead(LayerNorm(x)),  z = y + FFN(LayerNorm(y))";
    std::string sizes = fmt::format("T = {}, d_model = {}, h = {}, d_ff = {}, {}-norm, {}", T,
                                    block.d_model(), counted(block.attention.heads, "head"), block.mlp.d_ff,
                                    block.placement == glassbox::NormPlacement::post ? "post" : "pre",
                                    name(block.mlp.activation));
    if (layers > 0) sizes = counted(layers, "block") + ", " + sizes;
    return {formula, sizes};
}

}  // namespace tracer
