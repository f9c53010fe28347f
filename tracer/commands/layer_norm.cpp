#include <fmt/format.h>

#include <glassbox/blocks/blocks.h>
#include <glassbox/observe/trace.h>

#include "commands/shared/model_command.h"

namespace glassbox::tracer::commands {
namespace {

namespace step = steps::layer_norm;

Subject make(const ModelBuilder& m) {
    const index_t d = m.width("x", m.settings.d_model, "weight", 0);
    m.sequence("x", m.settings.seq, d);
    const NormConfig config = m.convention.norm_config();
    const auto layer = std::make_shared<LayerNorm>(d, config);
    Subject subject;
    subject.title = "Layer norm";
    subject.header = {fmt::format("LayerNorm(x) = {}", step::output.formula),
                      fmt::format("T = {}, d_model = {}, ε = {}", m.input["x"].size(-2), d, config.epsilon)};
    subject.model = layer;
    subject.parameters = [layer] { return parameters_of(*layer); };
    subject.result = step::output.name;
    subject.forward = [layer = layer.get(), &input = m.input] {
        (void)named(step::output, (*layer)(named(step::x, input["x"])));
    };
    return subject;
}

ModelCommand model() {
    ModelCommand command;
    command.order = 15;
    command.name = "layer-norm";
    command.summary = "Layer norm: each position normalised to mean 0 and variance 1.";
    command.examples = {
        {"tracer layer-norm --seq 2 --dmodel 4", "Two positions, each by itself."},
        {"tracer layer-norm --explain 'output[0,1]'", "Mean, variance and the number made from them."},
        {"tracer layer-norm --grad", "A number's gradient depends on all of its row."},
        {"tracer layer-norm --mistake layer_norm/sample-variance", "Divided by d − 1, as torch.var does."}};
    command.options = {.shared = {"--seq", "--batch", "--dmodel", "--epsilon"}, .input_help = "x by name"};
    command.inputs = {"x"};
    command.defaults = {{.seq = 2, .d_model = {4}}};
    command.make = make;
    return command;
}

}  // namespace

Command layer_norm() { return command_of(model); }

}  // namespace glassbox::tracer::commands
