#include <fmt/format.h>

#include <glassbox/layers/time2vec.h>

#include <glassbox/ops/check.h>
#include <glassbox/tensor/format.h>

#include "commands/commands.h"
#include "subject/input.h"
#include "subject/model.h"

namespace tracer {
namespace {

Subject make(const Making& m) {
    const index_t width = m.size("--width", m.typed.width, m.weights.size("omega", 0, m.convention, 3));
    m.sequence("x", m.size("--seq", m.typed.seq, 4), m.width("x", "--din", m.typed.din, 2));
    const glassbox::Shape steps = m.input["x"].shape().leading(m.input["x"].rank() - 1);
    if (m.input.has("time")) {
        const glassbox::Shape& time = m.input["time"].shape();
        blame_file(m.typed.input, [&] { check_broadcasts_to("time2vec", "a time", time, steps); });
    } else {  // 0, 1, 2 …: measured at even distances
        std::vector<real> time;
        for (index_t t = 0; t < steps[-1]; ++t) time.push_back(static_cast<real>(t));
        m.input.arrays.emplace_back("time", Tensor(glassbox::Shape{static_cast<index_t>(time.size())}, time));
    }
    const auto layer = std::make_shared<glassbox::Time2Vec>(width);
    draw(*layer, m.stream);
    Subject subject;
    subject.title = "Time2Vec";
    subject.header = {
        "t2v(τ)[0] = ω_0 τ + φ_0,  t2v(τ)[i] = sin(ω_i τ + φ_i)",
        fmt::format("T = {}, {} features, width {}", m.input["x"].size(-2), m.input["x"].size(-1), width)};
    subject.model = layer;
    subject.parameters = [layer] { return parameters_of(*layer); };
    subject.result = "output";
    subject.forward = [layer = layer.get(), &input = m.input] { (*layer)(input["x"], input["time"]); };
    return subject;
}

}  // namespace

ModelCommand time2vec_command() {
    ModelCommand command;
    command.name = "time2vec";
    command.summary = "Time2Vec: learned waves of time, put behind a series' features.";
    command.examples = {{"tracer time2vec --seq 4 --din 2 --width 3", "Every step."},
                        {"tracer time2vec --explain 'time2vec[2,1]'", "The arithmetic behind one number."},
                        {"tracer time2vec --grad", "Gradients, of the frequencies and phases too."}};
    command.options = {"--seq", "--batch", "--din", "--width"};
    command.inputs = {"x", "time?"};
    command.defaults.seq = "4";
    command.make = make;
    return command;
}

}  // namespace tracer
