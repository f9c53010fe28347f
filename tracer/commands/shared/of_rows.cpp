#include "commands/shared/of_rows.h"

#include <fmt/format.h>

#include <glassbox/observe/trace.h>

namespace glassbox::tracer {
namespace {

Subject make(const ModelBuilder& m, const RowFunction& of) {
    m.sequence("x", m.settings.seq, m.width("x", m.settings.classes, "", 0));
    Subject subject;
    subject.title = of.title;
    subject.header = {
        of.written_out ? of.written_out : fmt::format("{} = {}", of.result.name, formula_of(of.result)),
        fmt::format("{} rows of {} scores", m.input["x"].size(-2), m.input["x"].size(-1))};
    subject.result = of.result.name;
    subject.forward = [&of, &input = m.input] {
        (void)named(of.result, of.function(named(of.x, input["x"])));
    };
    return subject;
}

}  // namespace

ModelCommand command_of_rows(const RowFunction& of) {
    ModelCommand command;
    command.options = {.shared = {"--seq", "--batch", "--classes"},
                       .input_help = "x by name",
                       .without = {"--weights", "--save-weights", "--products"}};
    command.inputs = {"x"};
    command.defaults = {{.seq = 2, .classes = {3}}};
    command.make = [&of](const ModelBuilder& m) { return make(m, of); };
    return command;
}

}  // namespace glassbox::tracer
