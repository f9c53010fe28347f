#include <fmt/format.h>

#include <glassbox/blocks/blocks.h>
#include <glassbox/observe/trace.h>

#include "commands/shared/model_command.h"

namespace glassbox::tracer::commands {
namespace {

namespace step = steps::pooling;

Subject make(const ModelBuilder& m) {
    const Pooling pooling = m.settings.pooling;
    if (pooling == Pooling::none)
        fail<UsageError>(
            "--pooling: expected mean, max, cls or last, got 'none', which leaves the sequence as it is");
    m.sequence("x", m.settings.seq, m.width("x", m.settings.d_model, "", 0));
    Subject subject;
    subject.title = "Pooling";
    subject.header = {fmt::format("one row for the sequence: {}", name(pooling)),
                      fmt::format("T = {}, d_model = {}", m.input["x"].size(-2), m.input["x"].size(-1))};
    subject.result = step::mean.name;
    subject.forward = [pooling, mask = m.mask(), &input = m.input] {
        (void)pooled(named(step::x, input["x"]), pooling, mask);
    };
    return subject;
}

ModelCommand model() {
    ModelCommand command;
    command.order = 55;
    command.name = "pooling";
    command.summary = "Pooling: one row for a sequence, beside its padding.";
    command.examples = {{"tracer pooling --seq 3 --dmodel 4", "The mean of three positions."},
                        {"tracer pooling --batch 2 --seq 3 --lengths 3,2", "Padding does not count."},
                        {"tracer pooling --pooling max --grad", "Only the largest numbers have a gradient."}};
    command.options = {.shared = {"--seq", "--batch", "--dmodel", "--pooling", "--lengths"},
                       .input_help = "x by name",
                       .without = {"--weights", "--save-weights", "--products"}};
    command.inputs = {"x"};
    command.defaults = {{.d_model = {4}}};
    command.defaults.pooling = Pooling::mean;
    command.make = make;
    return command;
}

}  // namespace

Command pooling() { return command_of(model); }

}  // namespace glassbox::tracer::commands
