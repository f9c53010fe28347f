#include "commands/shared/attention_of_heads.h"

#include <fmt/format.h>

#include <glassbox/layers/multi_head_attention.h>

#include "cli/number.h"
#include "subject/model_header.h"

namespace glassbox::tracer {

Subject attention_of_heads(const ModelBuilder& m) {
    MultiHeadChoices config;
    config.d_model = m.size(m.settings.d_model, "o_proj.weight", 0);
    check_heads(m.settings, config.d_model);
    config.heads = m.settings.heads;
    Size d_in = m.settings.d_in;
    if (!d_in.is_given) d_in.value = config.d_model;
    config.d_in = m.width("x", d_in, "qkv_proj.weight", 1);
    config.bias = !m.settings.no_bias;
    m.sequence("x", m.settings.seq, config.d_in);
    const bool crosses = m.settings.memory.has_value() || m.input.has("memory");
    if (crosses) m.sequence("memory", m.settings.memory.value_or(4), config.d_in);

    const auto layer = m.made<MultiHeadAttention>(config);
    Subject subject;
    subject.title = crosses ? "Multi-head cross-attention" : "Multi-head attention";
    subject.header = {crosses ? glassbox::steps::multi_head_attention::cross_formula
                              : glassbox::steps::multi_head_attention::formula,
                      fmt::format("T = {}, d_in = {}, d_model = {}, h = {} of d_h = {}",
                                  positions(m.input["x"]), config.d_in, config.d_model,
                                  counted(config.heads, "head"), config.d_model / config.heads)};
    subject.model = layer;
    subject.parameters = [layer] { return parameters_of(*layer); };
    subject.result = "output";
    subject.forward = [layer = layer.get(), crosses, mask = m.mask(crosses ? "memory" : nullptr),
                       &input = m.input] {
        if (crosses) (*layer)(input["x"], input["memory"], mask);
        else (*layer)(input["x"], mask);
    };
    return subject;
}

}  // namespace glassbox::tracer
