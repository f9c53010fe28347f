#include <fmt/format.h>

#include <glassbox/layers/decoder_block.h>

#include "commands/shared/model_command.h"
#include "subject/model_header.h"

namespace glassbox::tracer::commands {
namespace {

Subject make(const ModelBuilder& m) {
    const BlockChoices choices = m.block("", "x");
    m.sequence("x", m.settings.seq, choices.d_model);
    m.sequence("memory", *m.settings.memory, choices.d_model);
    const auto block = m.made<DecoderBlock>(choices);
    Subject subject;
    subject.title = "Decoder block";
    subject.header = decoder_header(block->config(), m.input["x"], m.input["memory"]);
    subject.model = block;
    subject.parameters = [block] { return parameters_of(*block); };
    subject.result = choices.norm == NormPlacement::post ? "norm3" : "residual3";
    subject.forward =
        with_dropout(m, [block = block.get(), mask = m.mask(), memory_mask = m.other_mask(),
                         &input = m.input] { (*block)(input["x"], input["memory"], mask, memory_mask); });
    return subject;
}

ModelCommand model() {
    ModelCommand command;
    command.order = 70;
    command.name = "decoder-block";
    command.summary = "A decoder block: causal self-attention, cross-attention, feed-forward network.";
    command.examples = {
        {"tracer decoder-block --seq 3 --memory 4", "Every step of a block."},
        {"tracer decoder-block --depth 1", "Only the steps of the block itself."},
        {"tracer decoder-block --scope self_attn --only masked,attention", "What the causal mask does."},
        {"tracer decoder-block --map", "The maps of self- and cross-attention."}};
    command.options = {
        .shared = {"--seq", "--batch", "--memory", "--dmodel", "--heads", "--dff", "--norm", "--epsilon",
                   "--activation", "--dropout", "--no-bias", "--mask", "--lengths", "--memory-lengths"},
        .input_help = "x and memory by name"};
    command.inputs = {"x", "memory"};
    command.defaults = {{.memory = 4, .d_model = {4}, .d_ff = {8}}};
    command.make = make;
    return command;
}

}  // namespace

Command decoder_block() { return command_of(model); }

}  // namespace glassbox::tracer::commands
