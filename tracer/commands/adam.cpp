#include <fmt/format.h>

#include <cmath>

#include <glassbox/observe/record.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/train/optimiser.h>

#include "commands/shared/model_command.h"
#include "subject/error_source.h"

namespace glassbox::tracer::commands {
namespace {

namespace steps = glassbox::steps;

struct AdamFlags {
    index_t rows = 2, columns = 3, update = 2;
    double rate = 1e-3, factor = 1, beta1 = 0.9, momentum = 0.9;
    std::optional<OptimiserKind> optimiser;
    std::optional<double> beta2, epsilon, weight_decay;
};

OptimiserKind kind(const AdamFlags& flags, const Convention& convention) {
    return flags.optimiser.value_or(convention.training.optimiser);
}

// Values not given are the convention's; AdamW without any decay would be Adam.
OptimiserConfig config_of(const AdamFlags& flags, const Convention& convention) {
    const TrainingDefaults& source = convention.training;
    OptimiserConfig config{.kind = kind(flags, convention), .beta1 = flags.beta1};
    const bool is_adamw = config.kind == OptimiserKind::adamw;
    config.beta2 = flags.beta2.value_or(source.beta2.value_or(config.beta2));
    config.epsilon = flags.epsilon.value_or(source.epsilon.value_or(config.epsilon));
    config.weight_decay = flags.weight_decay.value_or(source.weight_decay.value_or(is_adamw ? 0.01 : 0));
    if (config.kind == OptimiserKind::sgd) config.momentum = flags.momentum;
    return config;
}

// m and v are drawn as large as averages of t − 1 gradients are that began at 0.
void draw_input(const ModelBuilder& m, const AdamFlags& flags, const OptimiserConfig& config) {
    const Shape shape{flags.rows, flags.columns};
    check_memory("--rows, --columns", static_cast<double>(shape.numel()) * 60);
    const bool is_sgd = config.kind == OptimiserKind::sgd;
    const double before = static_cast<double>(flags.update - 1);
    m.input.set("before", m.stream.normal(shape));
    m.input.set("gradient", m.stream.normal(shape));
    const Tensor z = m.stream.normal(shape);
    m.input.set("m_before", is_sgd ? z : z * (1 - std::pow(config.beta1, before)));
    const Tensor size = m.stream.normal(shape);
    if (!is_sgd) m.input.set("v_before", size * size * (1 - std::pow(config.beta2, before)));
}

// Averages that the file does not have begin at 0.
void read_input(const ModelBuilder& m, bool is_sgd) {
    const Shape shape = m.input["before"].shape();
    check_memory("--input: before", static_cast<double>(shape.numel()) * 60);
    for (const auto& [name, array] : m.input.arrays)
        if (array.shape() != shape)
            fail<FileError>("{}: before and {} need the same shape: {}, {}", m.settings.input.string(), name,
                            shape, array.shape());
    m.input.read();
    for (const char* average : {"m_before", "v_before"})
        if (!m.input.has(average) && !(is_sgd && average == std::string("v_before")))
            m.input.set(average, Tensor::zeros(shape));
}

std::vector<std::string> header(const OptimiserConfig& config, const AdamFlags& flags) {
    const bool decays = config.weight_decay > 0;
    const std::string lambda = fmt::format("λ = {}", config.weight_decay),
                      clip = fmt::format("clip = {}", flags.factor);
    if (config.kind == OptimiserKind::sgd)
        return {fmt::format("g = {},  m = {},  w = {}",
                            (decays ? steps::descent::g_decayed : steps::descent::g).formula,
                            steps::descent::m.formula, steps::descent::w.formula),
                fmt::format("sgd: η = {}, μ = {}, {}, {}", flags.rate, config.momentum, lambda, clip)};
    const bool is_adamw = config.kind == OptimiserKind::adamw;
    return {fmt::format("g = {},  w = {}",
                        (decays && !is_adamw ? steps::adam::g_decayed : steps::adam::g).formula,
                        (decays && is_adamw ? steps::adam::w_decayed : steps::adam::w).formula),
            fmt::format("{}: t = {}, η = {}, β₁ = {}, β₂ = {}, ε = {}, {}, {}", name(config.kind),
                        flags.update, flags.rate, config.beta1, config.beta2, config.epsilon, lambda, clip)};
}

void descend(const ModelInput& input, const AdamFlags& flags, const OptimiserConfig& config) {
    const Tensor m = named(steps::descent::m_before, input["m_before"]);
    (void)descent({input["before"], m}, input["gradient"], config, flags.rate, flags.factor);
}

void adapt(const ModelInput& input, const AdamFlags& flags, const OptimiserConfig& config) {
    const Tensor m = named(steps::adam::m_before, input["m_before"]);
    const Tensor v = named(steps::adam::v_before, input["v_before"]);
    (void)glassbox::adam({input["before"], m, v}, input["gradient"], config, flags.update, flags.rate,
                         flags.factor);
}

Subject make(const ModelBuilder& m, const AdamFlags& flags) {
    const OptimiserConfig config = config_of(flags, m.convention);
    const bool is_sgd = config.kind == OptimiserKind::sgd;
    if (m.input.file) read_input(m, is_sgd);
    else draw_input(m, flags, config);
    Subject subject;
    subject.title = is_sgd ? "One update of gradient descent" : "One update of Adam";
    subject.header = header(config, flags);
    subject.result = steps::adam::w.name;
    subject.forward = [=, &input = m.input] { (is_sgd ? descend : adapt)(input, flags, config); };
    return subject;
}

void declare_sizes(Options& o, AdamFlags& flags) {
    constexpr index_t largest = 1 << 24;
    o.value("--rows", flags.rows, {.help = "Number of rows of the parameters", .max = largest});
    o.value("--columns", flags.columns, {.help = "Number of columns", .max = largest});
}

void declare_choices(Options& o, AdamFlags& flags) {
    const std::string source = "the convention's";
    o.value("--optimiser", flags.optimiser, {.help = "Optimiser", .default_text = source});
    o.value("--update", flags.update,
            {.help = "Number of this update, t, from 1", .max = std::int64_t{1} << 40});
    o.value("--rate", flags.rate, {.help = "Learning rate, η"});
    o.value("--beta1", flags.beta1, {.help = "Adam's decay rate of the first moment, β₁"});
    o.value("--beta2", flags.beta2,
            {.help = "Adam's decay rate of the second moment, β₂", .default_text = source});
    o.value("--epsilon", flags.epsilon,
            {.help = "Term added to Adam's denominator, ε", .default_text = source});
    o.value("--momentum", flags.momentum, {.help = "Momentum of SGD, μ"});
    o.value("--weight-decay", flags.weight_decay,
            {.help = "Weight decay, λ; decoupled from the gradient in AdamW",
             .default_text = source + "; 0.01 for adamw"});
    o.value("--factor", flags.factor, {.help = "Factor on the gradient, from clipping"});
}

void check_own(const AdamFlags& flags, const ModelSettings& s, const Options& o) {
    const OptimiserKind optimiser = kind(flags, *s.convention);
    const bool is_sgd = optimiser == OptimiserKind::sgd;
    for (const char* flag : {"--update", "--beta1", "--beta2", "--epsilon"})
        if (is_sgd && o.given(flag)) fail<UsageError>("{}: requires adam or adamw, got sgd", flag);
    if (!is_sgd && o.given("--momentum"))
        fail<UsageError>("--momentum: requires --optimiser sgd, got {}", name(optimiser));
    for (const char* flag : {"--rows", "--columns"})
        if (!s.input.empty() && o.given(flag))
            fail<UsageError>("{}: sizes come from the --input file: leave it out", flag);
    glassbox::check(config_of(flags, *s.convention));
}

ModelCommand model() {
    const auto flags = std::make_shared<AdamFlags>();
    ModelCommand command;
    command.order = 103;
    command.name = "adam";
    command.summary = "One update of the parameters by Adam, AdamW or gradient descent.";
    command.examples = {
        {"tracer adam", "Every step of the second update, from the gradient to the new w."},
        {"tracer adam --update 1", "The first: m and v begin at 0, and the correction is largest."},
        {"tracer adam --optimiser adamw --weight-decay 0.1", "AdamW: the weights also shrink by a share."},
        {"tracer adam --optimiser sgd --momentum 0.9", "Gradient descent with momentum."},
        {"tracer adam --explain 'w[0,1]'", "The arithmetic behind one number."}};
    command.options = {
        .input_help = "before, gradient, and m_before and v_before, 0 if left out; all of one shape",
        .own_sizes = [flags](Options& o) { declare_sizes(o, *flags); },
        .own_choices = [flags](Options& o) { declare_choices(o, *flags); },
        .without = {"--weights", "--save-weights", "--products"}};
    command.inputs = {"before", "gradient", "m_before?", "v_before?"};
    command.check = [flags](const ModelSettings& s, const Options& o) { check_own(*flags, s, o); };
    command.make = [flags](const ModelBuilder& m) { return make(m, *flags); };
    return command;
}

}  // namespace

Command adam() { return command_of(model); }

}  // namespace glassbox::tracer::commands
