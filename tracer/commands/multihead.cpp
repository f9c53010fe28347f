#include <fmt/format.h>

#include <glassbox/layers/multi_head_attention.h>

#include "cli/plural.h"
#include "commands/commands.h"
#include "subject/block_header.h"
#include "subject/model.h"

namespace tracer {
namespace {

Subject make(const Making& m) {
    const glassbox::Convention& c = m.convention;
    glassbox::MultiHeadChoices config;
    config.d_model = m.size("--dmodel", m.typed.dmodel, m.weights.size("o_proj.weight", 0, c, 4));
    config.heads = m.size("--heads", m.typed.heads, 2);
    config.d_in = m.width("x", "--din", m.typed.din, m.weights.size("qkv_proj.weight", 1, c, config.d_model));
    config.bias = !m.typed.no_bias;
    m.sequence("x", m.size("--seq", m.typed.seq, 3), config.d_in);
    const bool crosses = !m.typed.memory.empty() || m.input.has("memory");
    if (crosses) m.sequence("memory", m.size("--memory", m.typed.memory, 4), config.d_in);

    const auto layer = m.made<glassbox::MultiHeadAttention>(config);
    Subject subject;
    subject.title = crosses ? "Multi-head cross-attention" : "Multi-head attention";
    subject.header = {
        crosses ? "MultiHead(x, memory) = Concat(head_1, …, head_h) W_O,  head_i = Attention(x W_Q,i, "
                  "memory W_K,i, memory W_V,i)"
                : "MultiHead(x) = Concat(head_1, …, head_h) W_O,  head_i = Attention(x W_Q,i, x W_K,i, "
                  "x W_V,i)",
        fmt::format("T = {}, d_in = {}, d_model = {}, h = {} of d_h = {}", positions(m.input["x"]),
                    config.d_in, config.d_model, counted(config.heads, "head"),
                    config.d_model / config.heads)};
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

}  // namespace

ModelCommand multihead_command() {
    ModelCommand command;
    command.name = "multihead";
    command.summary = "Multi-head attention: h heads, each with its own queries, keys and values.";
    command.examples = {
        {"tracer multihead --seq 3 --dmodel 4 --heads 2", "Two heads on three positions, every step."},
        {"tracer multihead --text 'the cat sat' --map", "Who looks at whom, drawn."},
        {"tracer multihead --memory 5",
         "Cross-attention: queries from x, keys and values from another sequence."},
        {"tracer multihead --mask causal --only masked,attention", "What a mask does, head by head."},
        {"tracer multihead --diff uva-jax,paper", "Where two conventions part, and why."},
        {"tracer multihead --explain 'output[0,1]'",
         "The arithmetic behind one number, down to x and the weights."},
        {"tracer multihead --weights model.safetensors --input x.npz", "Your own weights and numbers."}};
    command.options = {"--seq",  "--batch",   "--memory", "--din",     "--dmodel", "--heads",
                       "--text", "--no-bias", "--mask",   "--lengths", "--map"};
    command.inputs = {"x", "memory?"};
    command.defaults.seq = "3";
    command.defaults.dmodel = "";
    command.make = make;
    return command;
}

}  // namespace tracer
