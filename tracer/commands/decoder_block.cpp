#include <fmt/format.h>

#include <glassbox/layers/decoder_block.h>

#include "commands/commands.h"
#include "subject/block_header.h"
#include "subject/model.h"

namespace tracer {
namespace {

Subject make(const Making& m) {
    const glassbox::BlockChoices choices = m.block("", m.model_width("x", 4), 2, 8);
    m.sequence("x", m.size("--seq", m.typed.seq, 3), choices.d_model);
    m.sequence("memory", m.size("--memory", m.typed.memory, 4), choices.d_model);
    const auto block = m.made<glassbox::DecoderBlock>(choices);
    Subject subject;
    subject.title = "Decoder block";
    subject.header = decoder_header(block->config(), m.input["x"], m.input["memory"]);
    subject.model = block;
    subject.parameters = [block] { return parameters_of(*block); };
    subject.result = choices.norm == glassbox::NormPlacement::post ? "norm3" : "residual3";
    subject.forward =
        trained(m, [block = block.get(), mask = m.mask(), memory_mask = m.other_mask(), &input = m.input] {
            (*block)(input["x"], input["memory"], mask, memory_mask);
        });
    return subject;
}

}  // namespace

ModelCommand decoder_block_command() {
    ModelCommand command;
    command.name = "decoder-block";
    command.summary = "One block of a decoder: causal self-attention, attention to a memory, feed-forward.";
    command.examples = {
        {"tracer decoder-block --seq 3 --memory 4", "Every step of a block."},
        {"tracer decoder-block --depth 1", "The block's own steps."},
        {"tracer decoder-block --scope self_attn --only masked,attention", "What the causal mask does."},
        {"tracer decoder-block --map", "Both attentions, drawn."}};
    command.options = {"--seq",  "--batch",   "--memory",         "--dmodel",  "--heads",
                       "--dff",  "--norm",    "--activation",     "--dropout", "--no-bias",
                       "--mask", "--lengths", "--memory-lengths", "--map"};
    command.inputs = {"x", "memory"};
    command.defaults.seq = "3";
    command.defaults.memory = "4";
    command.make = make;
    return command;
}

}  // namespace tracer
