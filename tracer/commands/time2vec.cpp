#include <fmt/format.h>

#include <glassbox/layers/time2vec.h>

#include <glassbox/observe/record.h>
#include <glassbox/tensor/format.h>

#include "commands/shared/model_command.h"
#include "subject/error_source.h"

namespace glassbox::tracer::commands {
namespace {

Subject make(const ModelBuilder& m) {
    const index_t width = m.size(m.settings.width, "omega", 0);
    m.sequence("x", m.settings.seq, m.width("x", m.settings.d_in, "", 0));
    const Shape steps = m.input["x"].shape().leading(m.input["x"].rank() - 1);
    if (m.input.has("time")) {
        const Shape& time = m.input["time"].shape();
        name_file_in_errors(m.settings.input,
                            [&] { check_broadcasts_to("time2vec", "a time", time, steps); });
    } else {  // 0, 1, 2 …: equally spaced
        std::vector<real> time;
        for (index_t t = 0; t < steps[-1]; ++t) time.push_back(static_cast<real>(t));
        m.input.arrays.emplace_back("time", Tensor(Shape{static_cast<index_t>(time.size())}, time));
    }
    const auto layer = std::make_shared<Time2Vec>(width);
    draw(*layer, m.stream);
    Subject subject;
    subject.title = "Time2Vec";
    subject.header = {
        glassbox::steps::time2vec::formula,
        fmt::format("T = {}, {} features, width {}", m.input["x"].size(-2), m.input["x"].size(-1), width)};
    subject.model = layer;
    subject.parameters = [layer] { return parameters_of(*layer); };
    subject.result = "output";
    subject.forward = [layer = layer.get(), &input = m.input] { (*layer)(input["x"], input["time"]); };
    return subject;
}

ModelCommand model() {
    ModelCommand command;
    command.order = 100;
    command.name = "time2vec";
    command.summary = "Time2Vec: learned functions of time, appended to the features of a series.";
    command.examples = {{"tracer time2vec --seq 4 --din 2 --width 3", "Every step."},
                        {"tracer time2vec --explain 'time2vec[2,1]'", "The arithmetic behind one number."},
                        {"tracer time2vec --grad", "Gradients, including those of frequencies and phases."}};
    command.options = {.shared = {"--seq", "--batch", "--din", "--width"},
                       .input_help = "x by name, optionally time"};
    command.inputs = {"x", "time?"};
    command.defaults = {{.seq = 4, .d_in = {2}, .width = {3}}};
    command.make = make;
    return command;
}

}  // namespace

Command time2vec() { return command_of(model); }

}  // namespace glassbox::tracer::commands
