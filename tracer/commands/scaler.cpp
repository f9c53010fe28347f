#include <fmt/format.h>

#include <glassbox/layers/series_input.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/series/scaling.h>
#include <glassbox/tensor/format.h>

#include "commands/shared/model_command.h"

namespace glassbox::tracer::commands {
namespace {

enum class ScalerKind { standard, revin };

struct ScalerFlags {
    ScalerKind kind = ScalerKind::standard;
    index_t training = 6;
    bool is_given = false;  // the number of training rows
    bool back = false;
};

}  // namespace
}  // namespace glassbox::tracer::commands

template <>
struct glassbox::EnumWords<glassbox::tracer::commands::ScalerKind> {
    using Kind = glassbox::tracer::commands::ScalerKind;
    static constexpr const char* what = "kind of scaler";
    static constexpr Word<Kind> all[] = {{Kind::standard, "standard"}, {Kind::revin, "revin"}};
};

namespace glassbox::tracer::commands {
namespace {

// Mean and deviation of the rows of training, then all rows scaled, and back.
void show_standard(const Tensor& series, index_t training, bool back) {
    const Tensor x = named(steps::scaling::x, series);  // (T, c)
    const Scaling scaling =
        learned_scaling(slice(x, 0, 0, training), slice(Tensor::ones(x.shape()), 0, 0, training));
    const Tensor y = scaled(x, scaling);  // (T, c)
    if (back) (void)unscaled(y, scaling);
}

// Each window by its own mean and deviation, and back.
void show_revin(const Tensor& windows, bool back) {
    const NormedWindow window =
        normed(named(steps::window_norm::x, windows), WindowNorm::revin);  // (…, L, c)
    if (back) (void)restored(window.x, window);
}

const StepInfo& result_of(const ScalerFlags& flags) {
    if (flags.kind == ScalerKind::revin)
        return flags.back ? steps::window_norm::restored : steps::window_norm::normed;
    return flags.back ? steps::scaling::unscaled : steps::scaling::scaled;
}

Subject make(const ModelBuilder& m, const ScalerFlags& flags) {
    const bool is_revin = flags.kind == ScalerKind::revin;
    m.sequence("x", m.settings.seq, m.width("x", m.settings.d_model, "", 0));
    const Shape& shape = m.input["x"].shape();
    const index_t T = shape[shape.rank() - 2], training = flags.is_given ? flags.training : (3 * T + 3) / 4;
    if (!is_revin && shape.rank() != 2)
        fail<UsageError>("--kind standard: needs one series x (T, c), got {}; revin takes a batch of windows",
                         shape);
    if (training > T) fail<UsageError>("--training: expected at most {} rows, got {}", T, training);
    Subject subject;
    subject.title = is_revin ? "Each window scaled by itself: RevIN" : "Scaling a series";
    const std::string sizes = fmt::format("T = {}, c = {}", T, shape[shape.rank() - 1]);
    subject.header = {is_revin ? fmt::format("normed = {}", steps::window_norm::normed.formula)
                               : fmt::format("scaled = {}", steps::scaling::scaled.formula),
                      is_revin ? sizes + ", ε = 1e-5"
                               : fmt::format("{}; mean and deviation of the first {} rows, those of training",
                                             sizes, training)};
    subject.result = result_of(flags).name;
    subject.forward = [is_revin, training, back = flags.back, &input = m.input] {
        if (is_revin) show_revin(input["x"], back);
        else show_standard(input["x"], training, back);
    };
    return subject;
}

void declare_own(Options& o, ScalerFlags& flags) {
    o.value("--kind", flags.kind, {.help = "By the training rows' mean and deviation, or each window's own"});
    o.value(
        "--training", flags.training,
        {.help = "Number of rows that mean and deviation are learned from; of another series three quarters",
         .max = 1 << 24});
    o.flag("--back", flags.back, "Also go back to the units of the series");
}

ModelCommand model() {
    const auto flags = std::make_shared<ScalerFlags>();
    ModelCommand command;
    command.order = 98;
    command.name = "scaler";
    command.summary = "Scaling a series: by the training part, or each window by itself (RevIN).";
    command.examples = {
        {"tracer scaler --seq 8 --dmodel 2", "Two columns; the last two rows are not learned from."},
        {"tracer scaler --kind revin --batch 2 --seq 4 --dmodel 1",
         "Each window by its own mean and deviation."},
        {"tracer scaler --mistake deviation/unbiased", "Divided by T − 1 instead of T."}};
    command.options = {.shared = {"--seq", "--batch", "--dmodel"},
                       .input_help = "x by name",
                       .own_choices = [flags](Options& o) { declare_own(o, *flags); },
                       .without = {"--weights", "--save-weights", "--products"}};
    command.inputs = {"x"};
    command.defaults = {{.seq = 8, .d_model = {2}}};
    command.check = [flags](const ModelSettings&, const Options& o) {
        flags->is_given = o.given("--training");
        if (flags->kind == ScalerKind::revin && o.given("--training"))
            fail<UsageError>("--training: requires --kind standard, got revin");
    };
    command.make = [flags](const ModelBuilder& m) { return make(m, *flags); };
    return command;
}

}  // namespace

Command scaler() { return command_of(model); }

}  // namespace glassbox::tracer::commands
