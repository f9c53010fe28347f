#include <fmt/format.h>

#include <glassbox/models/stack.h>

#include "commands/shared/model_command.h"
#include "subject/model_header.h"

namespace glassbox::tracer::commands {
namespace {

Subject make(const ModelBuilder& m) {
    const StackChoices choices = m.stack("", "x");
    m.sequence("x", m.settings.seq, choices.block.d_model);
    const auto encoder = m.made<Encoder>(choices);
    Subject subject;
    subject.title = "Encoder";
    subject.header = block_header(encoder->config().block, positions(m.input["x"]), choices.layers);
    subject.model = encoder;
    subject.parameters = [encoder] { return parameters_of(*encoder); };
    subject.result = stack_result("encoder", encoder->config());
    subject.forward = with_dropout(
        m, [encoder = encoder.get(), mask = m.mask(), &input = m.input] { (*encoder)(input["x"], mask); });
    return subject;
}

ModelCommand model() {
    ModelCommand command;
    command.order = 50;
    command.name = "encoder";
    command.summary = "A stack of encoder blocks.";
    command.examples = {
        {"tracer encoder --layers 2 --depth 3", "Two blocks, without the steps inside their sublayers."},
        {"tracer encoder --scope encoder/1/self_attn", "Only the second block's attention."},
        {"tracer encoder --text 'the cat sat down' --map maps.svg", "All attention maps in one figure."},
        {"tracer encoder --norm pre --final-norm", "A pre-norm stack."},
        {"tracer encoder --summary --dmodel 512 --heads 8 --dff 2048 --layers 6",
         "Parameters and multiply–adds of the base Transformer's encoder."}};
    command.options = {.shared = {"--seq", "--batch", "--dmodel", "--heads", "--dff", "--layers", "--text",
                                  "--norm", "--epsilon", "--activation", "--dropout", "--final-norm",
                                  "--no-bias", "--mask", "--lengths"},
                       .input_help = "x by name"};
    command.inputs = {"x"};
    command.defaults = {{.d_model = {4}, .d_ff = {8}, .layers = {2}}};
    command.make = make;
    return command;
}

}  // namespace

Command encoder() { return command_of(model); }

}  // namespace glassbox::tracer::commands
