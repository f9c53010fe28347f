#include <fmt/format.h>

#include <glassbox/layers/encoder_block.h>

#include "commands/shared/model_command.h"
#include "subject/model_header.h"

namespace glassbox::tracer::commands {
namespace {

Subject make(const ModelBuilder& m) {
    const BlockChoices choices = m.block("", "x");
    m.sequence("x", m.settings.seq, choices.d_model);
    const auto block = m.made<EncoderBlock>(choices);
    Subject subject;
    subject.title = "Encoder block";
    subject.header = block_header(block->config(), positions(m.input["x"]));
    subject.model = block;
    subject.parameters = [block] { return parameters_of(*block); };
    subject.result = choices.norm == NormPlacement::post ? "norm2" : "residual2";
    subject.forward = with_dropout(
        m, [block = block.get(), mask = m.mask(), &input = m.input] { (*block)(input["x"], mask); });
    return subject;
}

ModelCommand model() {
    ModelCommand command;
    command.order = 40;
    command.name = "encoder-block";
    command.summary =
        "An encoder block: self-attention and feed-forward network, each with residual and norm.";
    command.examples = {
        {"tracer encoder-block --seq 3 --dmodel 4 --heads 2 --dff 8", "Every step of a block."},
        {"tracer encoder-block --depth 1",
         "Only the steps of the block itself, without those inside attention and network."},
        {"tracer encoder-block --norm pre --activation gelu", "Pre-norm, and another activation."},
        {"tracer encoder-block --diff uva-torch,report --mask causal",
         "Where two conventions first differ, and why."},
        {"tracer encoder-block --grad --only residual1,norm1,norm2",
         "Gradients, checked by finite differences."},
        {"tracer encoder-block --summary", "Shapes, parameters and multiply–adds."}};
    command.options = {
        .shared = {"--seq", "--batch", "--dmodel", "--heads", "--dff", "--text", "--norm", "--epsilon",
                   "--activation", "--dropout", "--no-bias", "--mask", "--lengths"},
        .input_help = "x by name"};
    command.inputs = {"x"};
    command.defaults = {{.d_model = {4}, .d_ff = {8}}};
    command.make = make;
    return command;
}

}  // namespace

Command encoder_block() { return command_of(model); }

}  // namespace glassbox::tracer::commands
