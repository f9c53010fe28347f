#include <fmt/format.h>

#include <glassbox/models/decoder.h>

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
    m.sequence("memory", m.size("--memory", m.typed.memory, 4), choices.block.d_model);
    const auto decoder = m.made<glassbox::Decoder>(choices);
    Subject subject;
    subject.title = "Decoder";
    subject.header = decoder_header(decoder->config().block, m.input["x"], m.input["memory"], choices.layers);
    subject.model = decoder;
    subject.parameters = [decoder] { return parameters_of(*decoder); };
    subject.result = stack_result("decoder", decoder->config());
    subject.forward =
        trained(m, [decoder = decoder.get(), mask = m.mask(), memory_mask = m.other_mask(),
                    &input = m.input] { (*decoder)(input["x"], input["memory"], mask, memory_mask); });
    return subject;
}

}  // namespace

ModelCommand decoder_command() {
    ModelCommand command;
    command.name = "decoder";
    command.summary = "Decoder blocks, one after the other, all looking at one memory.";
    command.examples = {
        {"tracer decoder --layers 2 --depth 3", "Two blocks, without the inside of their sublayers."},
        {"tracer decoder --scope decoder/0/cross_attn", "How the first block looks at the memory."},
        {"tracer decoder --map maps.png", "All attention maps in one figure."}};
    command.options = {"--seq",    "--batch",   "--memory",         "--dmodel",  "--heads",      "--dff",
                       "--layers", "--norm",    "--activation",     "--dropout", "--final-norm", "--no-bias",
                       "--mask",   "--lengths", "--memory-lengths", "--map"};
    command.inputs = {"x", "memory"};
    command.defaults.seq = "3";
    command.defaults.memory = "4";
    command.make = make;
    return command;
}

}  // namespace tracer
