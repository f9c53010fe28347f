#include "subject/model_header.h"

#include <fmt/format.h>

#include <glassbox/ops/dropout.h>

#include "cli/number.h"

namespace glassbox::tracer {

std::function<void()> with_dropout(const ModelBuilder& m, std::function<void()> forward) {
    if (m.settings.dropout == 0) return forward;
    return [forward = std::move(forward), seed = m.settings.seed] {
        const DropoutScope dropping(seed);
        forward();
    };
}

index_t positions(const Tensor& x) { return x.rank() > 1 ? x.size(-2) : x.numel(); }

std::string stack_result(const std::string& name, const StackConfig& config) {
    if (config.final_norm) return name + "/norm";
    const bool post = config.block.placement == NormPlacement::post, decodes = name == "decoder";
    return fmt::format("{}/{}/{}{}", name, config.layers - 1, post ? "norm" : "residual", decodes ? 3 : 2);
}

std::vector<std::string> decoder_header(const BlockConfig& block, const Tensor& x, const Tensor& memory,
                                        index_t layers) {
    std::vector<std::string> lines = block_header(block, positions(x), layers);
    lines[0] = decoder_formula(block);
    lines.push_back("memory: " + counted(positions(memory), "position"));
    return lines;
}

std::vector<std::string> block_header(const BlockConfig& block, index_t T, index_t layers) {
    std::string sizes = fmt::format("T = {}, d_model = {}, h = {}, d_ff = {}, {}-norm, {}", T,
                                    block.d_model(), counted(block.attention.heads, "head"), block.mlp.d_ff,
                                    name(block.placement), name(block.mlp.activation));
    if (layers > 0) sizes = counted(layers, "block") + ", " + sizes;
    return {formula(block), sizes};
}

std::vector<std::string> predictor_header(const PredictorConfig& config, index_t T) {
    std::vector<std::string> lines = block_header(config.encoder.block, T, config.encoder.layers);
    lines[0] = formula(config);
    lines.push_back(fmt::format("d_in = {}, {}{}", config.d_in, counted(config.classes, "class", "classes"),
                                config.positional_encoding ? "" : ", no positional encoding"));
    return lines;
}

}  // namespace glassbox::tracer
