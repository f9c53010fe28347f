#include <fmt/format.h>

#include <glassbox/blocks/blocks.h>

#include "commands/shared/model_command.h"
#include "subject/error_source.h"

namespace glassbox::tracer::commands {
namespace {

namespace step = steps::dropout;

Subject make(const ModelBuilder& m) {
    const double p = m.settings.dropout;
    m.sequence("x", m.settings.seq, m.width("x", m.settings.d_model, "", 0));
    if (!m.input.has("kept")) m.input.set("kept", kept_places(m.input["x"].shape(), p, m.settings.seed));
    Subject subject;
    subject.title = "Dropout in training";
    subject.header = {fmt::format("{} = {}", step::output.name, step::output.formula),
                      fmt::format("p = {}; in evaluation the output is x", p)};
    subject.result = step::output.name;
    subject.forward = [p, &input = m.input] { (void)dropped(input["x"], input["kept"], p); };
    return subject;
}

ModelCommand model() {
    ModelCommand command;
    command.order = 18;
    command.name = "dropout";
    command.summary = "Dropout: some numbers are 0, and the others scaled up.";
    command.examples = {
        {"tracer dropout --seq 2 --dmodel 4",
         "A quarter of the numbers is dropped, the others grow by a third."},
        {"tracer dropout --dropout 0.1", "One in ten, as in most models."},
        {"tracer dropout --grad", "What is dropped gets no gradient."},
        {"tracer dropout --mistake dropout/not-scaled", "The output is smaller than the input on average."}};
    command.options = {.shared = {"--seq", "--batch", "--dmodel", "--dropout"},
                       .input_help = "x by name; kept, 1 where a number stays, is drawn if left out",
                       .without = {"--weights", "--save-weights", "--products"}};
    command.inputs = {"x", "kept?"};
    command.defaults = {{.seq = 2, .d_model = {4}}};
    command.defaults.dropout = 0.25;
    command.make = make;
    return command;
}

}  // namespace

Command dropout() { return command_of(model); }

}  // namespace glassbox::tracer::commands
