#include <fmt/format.h>

#include <glassbox/models/encoder.h>

#include "commands/commands.h"
#include "subject/block_header.h"
#include "subject/model.h"

namespace tracer {
namespace {

Subject make(const Making& m) {
    glassbox::StackChoices choices;
    choices.block = m.block("layers.0.", m.model_width("x", 4), 2, 8);
    choices.layers = m.size("--layers", m.typed.layers, m.weights.blocks("layers", 2));
    choices.final_norm = m.typed.final_norm || m.weights.has("norm.weight");
    m.sequence("x", m.size("--seq", m.typed.seq, 3), choices.block.d_model);
    const auto encoder = m.made<glassbox::Encoder>(choices);
    Subject subject;
    subject.title = "Encoder";
    subject.header = block_header(encoder->config().block, positions(m.input["x"]), choices.layers);
    subject.model = encoder;
    subject.parameters = [encoder] { return parameters_of(*encoder); };
    subject.result = stack_result("encoder", encoder->config());
    subject.forward = trained(
        m, [encoder = encoder.get(), mask = m.mask(), &input = m.input] { (*encoder)(input["x"], mask); });
    return subject;
}

}  // namespace

ModelCommand encoder_command() {
    ModelCommand command;
    command.name = "encoder";
    command.summary = "Encoder blocks, one after the other.";
    command.examples = {
        {"tracer encoder --layers 2 --depth 3", "Two blocks, without the inside of their sublayers."},
        {"tracer encoder --scope encoder/1/self_attn", "The attention of the second block alone."},
        {"tracer encoder --text 'the cat sat down' --map maps.svg", "All attention maps in one figure."},
        {"tracer encoder --norm pre --final-norm", "A pre-norm stack."},
        {"tracer encoder --summary --dmodel 512 --heads 8 --dff 2048 --layers 6",
         "What Transformer-base costs."}};
    command.options = {"--seq",        "--batch",   "--dmodel", "--heads",      "--dff",
                       "--layers",     "--text",    "--norm",   "--activation", "--dropout",
                       "--final-norm", "--no-bias", "--mask",   "--lengths",    "--map"};
    command.inputs = {"x"};
    command.defaults.seq = "3";
    command.make = make;
    return command;
}

}  // namespace tracer
