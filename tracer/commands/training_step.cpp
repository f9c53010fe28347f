#include <fmt/format.h>

#include <glassbox/blocks/blocks.h>
#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>
#include <glassbox/train/optimiser.h>

#include "commands/shared/model_command.h"

namespace glassbox::tracer::commands {
namespace {

struct StepFlags {
    index_t batches = 3, parameters = 3;
    double rate = 0.1, max_norm = 0.5;
};

// The mean of the micro-batches' gradients, clipped; then w − η g.
void show(const ModelInput& input, const StepFlags& flags) {
    const Tensor gradient = accumulated(input["gradients"], input["left"]);  // (n)
    const Tensor clipped = [&] {
        const Scope scope("clip");
        return clip(gradient, {flags.max_norm, 0});  // (n)
    }();
    const Scope scope("update");
    const Tensor m = Tensor::zeros(clipped.shape()).to(clipped.device());
    (void)descent({input["before"], m}, clipped, {.kind = OptimiserKind::sgd}, flags.rate);
}

Subject make(const ModelBuilder& m, const StepFlags& flags) {
    const bool is_given = m.input.file != nullptr;
    const Shape& given = is_given ? m.input["gradients"].shape() : Shape{flags.batches, flags.parameters};
    if (given.rank() != 2)
        fail<FileError>("{}: needs gradients of shape (micro-batches, parameters), got {}",
                        m.settings.input.string(), given);
    const index_t k = given[0], n = given[1];
    check_memory(is_given ? "--input: gradients" : "--batches, --parameters",
                 static_cast<double>(k * n) * 30);
    if (!is_given) {
        m.input.set("before", m.stream.normal({n}));
        m.input.set("gradients", m.stream.normal({k, n}));
    } else if (m.input["before"].shape() != Shape{n}) {
        fail<FileError>("{}: before needs a number for each column of gradients, {}, got {}",
                        m.settings.input.string(), n, m.input["before"].shape());
    }
    if (!m.input.has("left")) m.input.set("left", m.stream.normal({n}));
    Subject subject;
    subject.title = "One training step with accumulated gradients";
    subject.header = {
        fmt::format("accumulated = {},  clipped = {},  w = {}", steps::accumulation::accumulated.formula,
                    steps::clip::clipped.formula, steps::descent::w.formula),
        fmt::format("{} of {} parameters; max_norm = {}, η = {}", counted(k, "micro-batch", "micro-batches"),
                    n, flags.max_norm, flags.rate)};
    subject.result = fmt::format("update/{}", steps::descent::w.name);
    subject.forward = [flags, &input = m.input] { show(input, flags); };
    return subject;
}

void declare_sizes(Options& o, StepFlags& flags) {
    constexpr index_t largest = 1 << 24;
    o.value("--batches", flags.batches, {.help = "Number of micro-batches", .max = largest});
    o.value("--parameters", flags.parameters, {.help = "Number of parameters", .max = largest});
}

void declare_choices(Options& o, StepFlags& flags) {
    o.value("--rate", flags.rate, {.help = "Learning rate, η"});
    o.value("--max-norm", flags.max_norm, {.help = "Maximum norm of the gradient"});
}

void check_own(const StepFlags& flags, const ModelSettings& s, const Options& o) {
    if (flags.max_norm <= 0)
        fail<UsageError>("--max-norm: expected a number above 0, got {}", flags.max_norm);
    for (const char* flag : {"--batches", "--parameters"})
        if (!s.input.empty() && o.given(flag))
            fail<UsageError>("{}: sizes come from the --input file: leave it out", flag);
}

ModelCommand model() {
    const auto flags = std::make_shared<StepFlags>();
    ModelCommand command;
    command.order = 107;
    command.name = "training-step";
    command.summary = "A training step: gradients cleared, accumulated and clipped, then the update.";
    command.examples = {
        {"tracer training-step --batches 3 --parameters 3", "Three micro-batches, and one update of w."},
        {"tracer training-step --max-norm 100", "A gradient that is short enough stays as it is."},
        {"tracer training-step --mistake accumulated/not-cleared", "zero_grad was forgotten."},
        {"tracer training-step --mistake accumulated/not-divided", "The sum in place of the mean."}};
    command.options = {.input_help = "before (n), gradients (k, n), and left (n), what .grad held before",
                       .own_sizes = [flags](Options& o) { declare_sizes(o, *flags); },
                       .own_choices = [flags](Options& o) { declare_choices(o, *flags); },
                       .without = {"--weights", "--save-weights", "--products"}};
    command.inputs = {"before", "gradients", "left?"};
    command.check = [flags](const ModelSettings& s, const Options& o) { check_own(*flags, s, o); };
    command.make = [flags](const ModelBuilder& m) { return make(m, *flags); };
    return command;
}

}  // namespace

Command training_step() { return command_of(model); }

}  // namespace glassbox::tracer::commands
