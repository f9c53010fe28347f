#include <fmt/format.h>

#include <glassbox/layers/multi_head_attention.h>

#include "cli/number.h"
#include "commands/shared/model_command.h"
#include "subject/model_header.h"

namespace glassbox::tracer::commands {
namespace {

Subject make(const ModelBuilder& m) {
    MultiHeadChoices config;
    config.d_model = m.size(m.settings.d_model, "o_proj.weight", 0);
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

ModelCommand model() {
    ModelCommand command;
    command.order = 20;
    command.name = "multihead";
    command.summary = "Multi-head attention: h heads, each with its own queries, keys and values.";
    command.examples = {
        {"tracer multihead --seq 3 --dmodel 4 --heads 2", "Two heads and three positions, every step."},
        {"tracer multihead --text 'the cat sat' --map", "What each word attends to, as a map."},
        {"tracer multihead --memory 5",
         "Cross-attention: queries from x, keys and values from another sequence."},
        {"tracer multihead --mask causal --only masked,attention", "What a mask does, head by head."},
        {"tracer multihead --diff uva-jax,paper", "Where two conventions first differ, and why."},
        {"tracer multihead --explain 'output[0,1]'",
         "The arithmetic behind one number, down to x and the weights."},
        {"tracer multihead --weights model.safetensors --input x.npz", "Your own weights and numbers."}};
    command.options = {.shared = {"--seq", "--batch", "--memory", "--din", "--dmodel", "--heads", "--text",
                                  "--no-bias", "--mask", "--lengths"},
                       .input_help = "x by name, optionally memory"};
    command.inputs = {"x", "memory?"};
    command.defaults = {{.d_model = {4}}};
    command.make = make;
    return command;
}

}  // namespace

Command multihead() { return command_of(model); }

}  // namespace glassbox::tracer::commands
