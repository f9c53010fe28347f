#include <fmt/format.h>

#include <glassbox/train/optimiser.h>

#include <glassbox/tensor/format.h>

#include "commands/shared/model_command.h"

namespace glassbox::tracer::commands {
namespace {

namespace step = steps::clip;

struct ClipFlags {
    index_t rows = 3, columns = 4;
    std::optional<double> max_norm, epsilon;
};

// Values not given are the convention's; if that does not clip, max_norm is 1.
Clipping clipping(const ClipFlags& flags, const Convention& convention) {
    const Clipping& source = convention.training.clipping;
    return {flags.max_norm.value_or(source.max_norm > 0 ? source.max_norm : 1),
            flags.epsilon.value_or(source.epsilon)};
}

Subject make(const ModelBuilder& m, const ClipFlags& flags) {
    const Clipping how = clipping(flags, m.convention);
    const Shape drawn{flags.rows, flags.columns};
    const bool is_given = m.input.has("gradient");
    const Shape& shape = is_given ? m.input["gradient"].shape() : drawn;
    check_memory(is_given ? "--input: gradient" : "--rows, --columns",
                 static_cast<double>(shape.numel()) * 30);
    if (!is_given) m.input.arrays.emplace_back("gradient", m.stream.normal(drawn));
    Subject subject;
    subject.title = "Gradient clipping by norm";
    subject.header = {fmt::format("clipped = {},  factor = {}", step::clipped.formula, step::factor.formula),
                      fmt::format("max_norm = {}, ε = {}; gradient {}", how.max_norm, how.epsilon, shape)};
    subject.result = step::clipped.name;
    subject.forward = [how, &input = m.input] { (void)glassbox::clip(input["gradient"], how); };
    return subject;
}

void declare_sizes(Options& o, ClipFlags& flags) {
    constexpr index_t largest = 1 << 24;
    o.value("--rows", flags.rows,
            {.help = "Number of rows of the gradient, one for each parameter", .max = largest});
    o.value("--columns", flags.columns, {.help = "Number of columns", .max = largest});
}

void declare_choices(Options& o, ClipFlags& flags) {
    o.value("--max-norm", flags.max_norm,
            {.help = "Maximum norm of the gradient", .default_text = "the convention's, or 1"});
    o.value("--epsilon", flags.epsilon,
            {.help = "Term added to the norm, ε", .default_text = "the convention's"});
}

void check_own(const ClipFlags& flags, const ModelSettings& s, const Options& o) {
    if (flags.max_norm && *flags.max_norm <= 0)
        fail<UsageError>("--max-norm: expected a number above 0, got {}", *flags.max_norm);
    for (const char* flag : {"--rows", "--columns"})
        if (!s.input.empty() && o.given(flag))
            fail<UsageError>("{}: sizes come from the --input file: leave it out", flag);
}

ModelCommand model() {
    const auto flags = std::make_shared<ClipFlags>();
    ModelCommand command;
    command.order = 102;
    command.name = "clip";
    command.summary = "Gradient clipping: a gradient that is too long is shortened.";
    command.examples = {{"tracer clip --max-norm 1", "Every step: norm, factor, the clipped gradient."},
                        {"tracer clip --max-norm 100", "A gradient that is short enough stays as it is."},
                        {"tracer clip --mistake clipped/by-value", "What cutting each number does instead."}};
    command.options = {.input_help = "gradient by name",
                       .own_sizes = [flags](Options& o) { declare_sizes(o, *flags); },
                       .own_choices = [flags](Options& o) { declare_choices(o, *flags); },
                       .without = {"--weights", "--save-weights", "--products"}};
    command.inputs = {"gradient"};
    command.check = [flags](const ModelSettings& s, const Options& o) { check_own(*flags, s, o); };
    command.make = [flags](const ModelBuilder& m) { return make(m, *flags); };
    return command;
}

}  // namespace

Command clip() { return command_of(model); }

}  // namespace glassbox::tracer::commands
