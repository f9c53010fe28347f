#include <fmt/format.h>

#include <glassbox/models/stack.h>

#include "commands/shared/model_command.h"
#include "subject/model_header.h"

namespace glassbox::tracer::commands {
namespace {

Subject make(const ModelBuilder& m) {
    const StackChoices choices = m.stack("", "x");
    m.sequence("x", m.settings.seq, choices.block.d_model);
    m.sequence("memory", *m.settings.memory, choices.block.d_model);
    const auto decoder = m.made<Decoder>(choices);
    Subject subject;
    subject.title = "Decoder";
    subject.header = decoder_header(decoder->config().block, m.input["x"], m.input["memory"], choices.layers);
    subject.model = decoder;
    subject.parameters = [decoder] { return parameters_of(*decoder); };
    subject.result = stack_result("decoder", decoder->config());
    subject.forward =
        with_dropout(m, [decoder = decoder.get(), mask = m.mask(), memory_mask = m.other_mask(),
                         &input = m.input] { (*decoder)(input["x"], input["memory"], mask, memory_mask); });
    return subject;
}

ModelCommand model() {
    ModelCommand command;
    command.order = 80;
    command.name = "decoder";
    command.summary = "A stack of decoder blocks with cross-attention to one memory.";
    command.examples = {
        {"tracer decoder --layers 2 --depth 3", "Two blocks, without the steps inside their sublayers."},
        {"tracer decoder --scope decoder/0/cross_attn", "The first block's attention to the memory."},
        {"tracer decoder --map maps.png", "All attention maps in one figure."}};
    command.options = {.shared = {"--seq", "--batch", "--memory", "--dmodel", "--heads", "--dff", "--layers",
                                  "--norm", "--epsilon", "--activation", "--dropout", "--final-norm",
                                  "--no-bias", "--mask", "--lengths", "--memory-lengths"},
                       .input_help = "x and memory by name"};
    command.inputs = {"x", "memory"};
    command.defaults = {{.memory = 4, .d_model = {4}, .d_ff = {8}, .layers = {2}}};
    command.make = make;
    return command;
}

}  // namespace

Command decoder() { return command_of(model); }

}  // namespace glassbox::tracer::commands
