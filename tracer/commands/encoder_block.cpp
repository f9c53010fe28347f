#include <fmt/format.h>

#include <glassbox/layers/encoder_block.h>

#include "commands/commands.h"
#include "subject/block_header.h"
#include "subject/model.h"

namespace tracer {
namespace {

Subject make(const Making& m) {
    const glassbox::BlockChoices choices = m.block("", m.model_width("x", 4), 2, 8);
    m.sequence("x", m.size("--seq", m.typed.seq, 3), choices.d_model);
    const auto block = m.made<glassbox::EncoderBlock>(choices);
    Subject subject;
    subject.title = "Encoder block";
    subject.header = block_header(block->config(), positions(m.input["x"]));
    subject.model = block;
    subject.parameters = [block] { return parameters_of(*block); };
    subject.result = choices.norm == glassbox::NormPlacement::post ? "norm2" : "residual2";
    subject.forward =
        trained(m, [block = block.get(), mask = m.mask(), &input = m.input] { (*block)(input["x"], mask); });
    return subject;
}

}  // namespace

ModelCommand encoder_block_command() {
    ModelCommand command;
    command.name = "encoder-block";
    command.summary = "One block of an encoder: attention and feed-forward, each with residual and norm.";
    command.examples = {
        {"tracer encoder-block --seq 3 --dmodel 4 --heads 2 --dff 8", "Every step of a block."},
        {"tracer encoder-block --depth 1",
         "The block's own steps, without the inside of attention and network."},
        {"tracer encoder-block --norm pre --activation gelu",
         "The other order of norm and sublayer, another nonlinearity."},
        {"tracer encoder-block --diff uva-torch,report --mask causal",
         "Where two conventions part, and why."},
        {"tracer encoder-block --grad --only residual1,norm1,norm2", "Gradients, beside finite differences."},
        {"tracer encoder-block --summary", "Shapes, parameters and multiply–adds."}};
    command.options = {"--seq",        "--batch",   "--dmodel",  "--heads", "--dff",     "--text", "--norm",
                       "--activation", "--dropout", "--no-bias", "--mask",  "--lengths", "--map"};
    command.inputs = {"x"};
    command.defaults.seq = "3";
    command.make = make;
    return command;
}

}  // namespace tracer
