#include <fmt/format.h>

#include <glassbox/blocks/blocks.h>
#include <glassbox/conventions/draw.h>
#include <glassbox/observe/trace.h>

#include "commands/shared/model_command.h"

namespace glassbox::tracer::commands {
namespace {

namespace step = steps::linear;

Subject make(const ModelBuilder& m, const Size& d_out) {
    const index_t in = m.width("x", m.settings.d_in, "weight", 1), out = m.size(d_out, "weight", 0);
    m.sequence("x", m.settings.seq, in);
    check_memory("--din, --dout", static_cast<double>(in) * static_cast<double>(out));
    const auto layer = std::make_shared<Linear>(Linear::zeros(in, out, !m.settings.no_bias));
    draw(*layer, m.convention, m.stream);
    Subject subject;
    subject.title = "Linear layer";
    subject.header = {m.settings.no_bias ? "y = x Wᵀ" : "y = x Wᵀ + b",
                      fmt::format("T = {}, d_in = {}, d_out = {}", m.input["x"].size(-2), in, out)};
    subject.model = layer;
    subject.parameters = [layer] { return parameters_of(*layer); };
    subject.result = step::output.name;
    subject.forward = [layer = layer.get(), &input = m.input] {
        (void)named(step::output, (*layer)(named(step::x, input["x"])));
    };
    return subject;
}

ModelCommand model() {
    const auto d_out = std::make_shared<Size>(Size{2});
    ModelCommand command;
    command.order = 14;
    command.name = "linear";
    command.summary = "A linear layer: every output is a weighted sum of all inputs.";
    command.examples = {
        {"tracer linear --seq 2 --din 3 --dout 2", "Two positions."},
        {"tracer linear --explain 'output[0,1]'", "The products behind one number."},
        {"tracer linear --grad", "Gradients of the input, the weights and the bias."},
        {"tracer linear --din 3 --dout 3 --mistake linear/not-transposed", "x W in place of x Wᵀ."}};
    command.options = {.shared = {"--seq", "--batch", "--din", "--no-bias"},
                       .input_help = "x by name",
                       .own_sizes = [=](Options& o) {
                           o.value("--dout", *d_out, {.help = "Width of the output, d_out", .min = 1});
                       }};
    command.inputs = {"x"};
    command.defaults = {{.seq = 2, .d_in = {3}}};
    command.make = [=](const ModelBuilder& m) { return make(m, *d_out); };
    return command;
}

}  // namespace

Command linear() { return command_of(model); }

}  // namespace glassbox::tracer::commands
