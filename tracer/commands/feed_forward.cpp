#include <fmt/format.h>

#include <glassbox/blocks/blocks.h>
#include <glassbox/observe/trace.h>

#include "commands/shared/model_command.h"
#include "subject/convention_option.h"
#include "subject/model_header.h"

namespace glassbox::tracer::commands {
namespace {

namespace step = steps::feed_forward;

// By the names that it has in a block, which conventions translate.
struct Network {
    FeedForward net;
    void parameters(Parameters& all) { all("linear_net", net); }
};

Subject make(const ModelBuilder& m) {
    FeedForwardChoices choices;
    choices.d_model = m.width("x", m.settings.d_model, "linear_net.0.weight", 1);
    choices.d_ff = m.size(m.settings.d_ff, "linear_net.0.weight", 0);
    choices.activation = m.settings.activation;
    choices.dropout = m.settings.dropout;
    if (m.settings.d_ff.is_given) check_d_ff(m.convention, choices.d_model, choices.d_ff);
    check_memory("--dmodel, --dff",
                 static_cast<double>(choices.d_model) * static_cast<double>(choices.d_ff) * 2);
    m.sequence("x", m.settings.seq, choices.d_model);
    const auto layer = std::make_shared<Network>(Network{*m.made<FeedForward>(choices)});
    Subject subject;
    subject.title = "Feed-forward network";
    subject.header = {step::formula, fmt::format("T = {}, d_model = {}, d_ff = {}, {}", m.input["x"].size(-2),
                                                 choices.d_model, choices.d_ff, name(choices.activation))};
    subject.model = layer;
    subject.parameters = [layer] { return parameters_of(*layer); };
    subject.result = step::output.name;
    subject.forward =
        with_dropout(m, [layer = layer.get(), &input = m.input] { layer->net(named(step::x, input["x"])); });
    return subject;
}

ModelCommand model() {
    ModelCommand command;
    command.order = 16;
    command.name = "feed-forward";
    command.summary = "The feed-forward network: wider, an activation, and back, at each position.";
    command.examples = {
        {"tracer feed-forward --seq 2 --dmodel 2 --dff 4", "Every step of two positions."},
        {"tracer feed-forward --activation gelu", "GELU in place of ReLU."},
        {"tracer feed-forward --explain 'output[0,1]'", "The arithmetic behind one number."},
        {"tracer feed-forward --mistake relu/not-applied", "Without it the two layers are one."}};
    command.options = {.shared = {"--seq", "--batch", "--dmodel", "--dff", "--activation", "--dropout"},
                       .input_help = "x by name"};
    command.inputs = {"x"};
    command.defaults = {{.seq = 2, .d_model = {2}, .d_ff = {4}}};
    command.make = make;
    return command;
}

}  // namespace

Command feed_forward() { return command_of(model); }

}  // namespace glassbox::tracer::commands
