#include "subject/model_header.h"

#include <fmt/format.h>

#include <algorithm>

#include <glassbox/ops/dropout.h>
#include <glassbox/tensor/format.h>

#include "cli/number.h"

namespace glassbox::tracer {

std::function<void()> with_dropout(const ModelBuilder& m, std::function<void()> forward) {
    if (m.settings.dropout == 0) return forward;
    return [forward = std::move(forward), seed = m.settings.seed] {
        const DropoutScope dropping(seed);
        forward();
    };
}

void check_heads(const ModelSettings& s, index_t d_model) {
    const bool is_from_file = d_model != s.d_model.value || !s.weights.empty();
    const index_t heads = s.heads;
    if (is_from_file || heads < 1 || d_model < 1 || d_model % heads == 0) return;
    index_t fewer = std::min(heads, d_model), more = heads + 1;
    while (d_model % fewer != 0) --fewer;
    while (more < d_model && d_model % more != 0) ++more;
    fail<UsageError>(
        "--heads {0}: does not divide --dmodel {1}: every head has d_model / h of the columns; type --heads "
        "{2}{3}, or --dmodel {4}{5}",
        heads, d_model, fewer, more <= d_model ? fmt::format(" or {}", more) : "",
        d_model > heads ? fmt::format("{} or ", d_model / heads * heads) : "", (d_model / heads + 1) * heads);
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
