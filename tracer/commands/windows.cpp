#include <fmt/format.h>

#include <algorithm>

#include <glassbox/observe/trace.h>
#include <glassbox/series/windows.h>
#include <glassbox/tensor/format.h>

#include "commands/shared/model_command.h"

namespace glassbox::tracer::commands {
namespace {

namespace step = steps::windows;

struct WindowFlags {
    index_t window = 3, horizon = 2;
    std::optional<index_t> training;
};

Subject make(const ModelBuilder& m, const WindowFlags& flags) {
    const WindowConfig config{flags.window, flags.horizon};
    const bool is_given = m.input.file != nullptr;
    const Shape shape =
        is_given ? m.input["series"].shape() : Shape{m.settings.seq, m.settings.d_model.value};
    const double copies = static_cast<double>(flags.window) + static_cast<double>(flags.horizon);
    check_memory(is_given ? "--input: series" : "--seq, --dmodel, --window, --horizon",
                 static_cast<double>(shape.numel()) * std::max(30.0, copies));
    if (!is_given) m.input.set("series", m.stream.normal(shape));
    if (shape.rank() != 2)
        fail<FileError>("{}: needs series of shape (T, c), got {}", m.settings.input.string(), shape);
    const index_t T = shape[0], training = flags.training.value_or(T);
    if (training > T) fail<UsageError>("--training: expected at most {} rows, got {}", T, training);
    if (config.window + config.horizon > training)
        fail<UsageError>("--window, --horizon: a window needs {} + {} values, and {} are for training",
                         config.window, config.horizon, training);
    Subject subject;
    subject.title = "A series cut into windows";
    subject.header = {fmt::format("x = {},  targets = {}", step::x.formula, step::targets.formula),
                      fmt::format("T = {}, c = {}; L = {}, H = {}; the first {} rows are for training", T,
                                  shape[1], config.window, config.horizon, training)};
    subject.result = step::targets.name;
    subject.forward = [=, &input = m.input] {
        const Tensor series = named(step::series, input["series"]);  // (T, c)
        const Tensor part = window_parts(T, training, config);       // (T)
        (void)windows_of(series, part, part_training, config);       // (n, L, c), (n, H, c)
    };
    return subject;
}

void declare_own(Options& o, WindowFlags& flags) {
    constexpr index_t largest = 1 << 24;
    o.value("--window", flags.window, {.help = "Number of values known, L", .max = largest});
    o.value("--horizon", flags.horizon, {.help = "Number of values to forecast, H", .max = largest});
    o.value("--training", flags.training,
            {.help = "Number of rows for training, which no target leaves", .default_text = "all"});
}

ModelCommand model() {
    const auto flags = std::make_shared<WindowFlags>();
    ModelCommand command;
    command.order = 97;
    command.name = "windows";
    command.summary = "Windows of a series: what is known, and what is to be forecast.";
    command.examples = {
        {"tracer windows --seq 8 --window 3 --horizon 2", "Each window of 3 values, and the 2 that follow."},
        {"tracer windows --seq 8 --training 6", "No target lies after the training part."},
        {"tracer windows --mistake targets/within-window", "Targets that the window already has."}};
    command.options = {.shared = {"--seq", "--dmodel"},
                       .input_help = "series by name, (T, c)",
                       .own_choices = [flags](Options& o) { declare_own(o, *flags); },
                       .without = {"--weights", "--save-weights", "--products", "--scalar"}};
    command.inputs = {"series"};
    command.defaults = {{.seq = 8, .d_model = {1}}};
    command.make = [flags](const ModelBuilder& m) { return make(m, *flags); };
    return command;
}

}  // namespace

Command windows() { return command_of(model); }

}  // namespace glassbox::tracer::commands
