#include <fmt/format.h>

#include <cmath>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/print.h>
#include <glassbox/train/schedule.h>

#include "commands/shared/model_command.h"

namespace glassbox::tracer::commands {
namespace {

namespace step = steps::schedule;

constexpr index_t tutorial_warmup = 50;  // of its first task, if a source leaves it open

struct ScheduleFlags {
    std::optional<ScheduleKind> schedule;
    std::optional<double> rate;
    double least = 0, start = 0;
    index_t decay = 0;
    WarmupCount counts = WarmupCount::done;
    std::optional<index_t> warmup;
    index_t updates = 500, d_model = 512;
    std::vector<index_t> at{0, 25, 50, 275, 500};
};

ScheduleConfig config_of(const ScheduleFlags& flags, const Convention& convention) {
    const TrainingDefaults& source = convention.training;
    ScheduleConfig config;
    config.kind = flags.schedule.value_or(source.schedule);
    config.rate = flags.rate.value_or(source.rate.value_or(config.rate));
    config.warmup = flags.warmup.value_or(source.warmup.value_or(tutorial_warmup));
    config.steps = flags.updates;
    config.d_model = flags.d_model;
    config.least = flags.least, config.start = flags.start;
    config.decay = flags.decay, config.counts = flags.counts;
    return config;
}

// n, from --at or the file: whole numbers.
std::vector<index_t> updates_done(const ModelBuilder& m, const ScheduleFlags& flags) {
    if (!m.input.file) {
        m.input.set("n", Tensor(Shape{static_cast<index_t>(flags.at.size())},
                                std::vector<real>(flags.at.begin(), flags.at.end())));
        return flags.at;
    }
    if (m.input["n"].rank() != 1 || m.input["n"].numel() == 0)
        fail<FileError>("{}: needs n of shape (k,), got {}", m.settings.input.string(), m.input["n"].shape());
    check_memory("--input: n", static_cast<double>(m.input["n"].numel()) * 2000);
    m.input.read();
    std::vector<index_t> all;
    for (const real n : m.input["n"].values()) {
        if (!(n >= 0) || n != std::floor(n) || n > (1 << 24))
            fail<FileError>("{}: n are whole numbers from 0 to {}, got {}", m.settings.input.string(),
                            1 << 24, without_nan_sign(static_cast<double>(n)));
        all.push_back(static_cast<index_t>(n));
    }
    return all;
}

// Each n has its own steps: after/25/warmup.
void show(const Tensor& n, const std::vector<index_t>& done, const ScheduleConfig& config) {
    (void)named(step::n, n);  // (k,)
    std::vector<Tensor> rates;
    for (const index_t each : done) {
        const Scope scope("after", static_cast<int>(each));
        rates.push_back(reshape(learning_rate_by_steps(config, each), {1}));
    }
    (void)named(step::learning_rates, concat(rates, 0));  // (k,)
}

Subject make(const ModelBuilder& m, const ScheduleFlags& flags) {
    const ScheduleConfig config = config_of(flags, m.convention);
    const std::vector<index_t> done = updates_done(m, flags);
    m.input.origin = m.settings.input.empty() ? "n from --at" : m.input.origin;
    m.input.rng = "";
    Subject subject;
    subject.title = "Learning rate schedule";
    std::string sizes = fmt::format("{}: rate = {}", name(config.kind), config.rate);
    if (config.kind != ScheduleKind::constant) sizes += fmt::format(", W = {}", config.warmup);
    if (config.least > 0)
        sizes += fmt::format(", least = {}, r = {:.6g}", config.least, config.least / config.rate);
    if (config.start > 0)
        sizes += fmt::format(", start = {}, s = {:.6g}", config.start, config.start / config.rate);
    if (decays_to_zero(config.kind)) sizes += fmt::format(", N = {}", config.steps);
    if (config.kind == ScheduleKind::inverse_sqrt) sizes += fmt::format(", d_model = {}", config.d_model);
    subject.header = {sizes, "n updates are done, and t = n + 1 is the current one"};
    if (has_least(config.kind) && config.steps <= config.warmup)
        subject.header.push_back(fmt::format("the run ends before the {} begins, whose N is W + 1 = {} here",
                                             config.kind == ScheduleKind::cosine ? "cosine" : "fall",
                                             config.warmup + 1));
    subject.result = step::learning_rates.name;
    subject.forward = [=, &input = m.input] { show(input["n"], done, config); };
    return subject;
}

void declare_own(Options& o, ScheduleFlags& flags) {
    const std::string source = "the convention's";
    o.value("--schedule", flags.schedule, {.help = "Schedule of the learning rate", .default_text = source});
    o.value("--rate", flags.rate,
            {.help = "Peak learning rate; for inverse-sqrt a factor", .default_text = source});
    o.value("--least", flags.least, {.help = "Minimum learning rate, at the end of the run"});
    o.value("--start", flags.start,
            {.help = "Learning rate at the beginning of the warm-up, or of one-cycle"});
    o.value("--decay", flags.decay,
            {.help = "Number of last updates in which the rate of wsd falls",
             .default_text = "a tenth of --updates",
             .max = 1 << 24});
    o.value("--warmup-counts", flags.counts,
            {.help = "The warm-up as n / W (done), t / W (current) or t / (W + 1) (between)"});
    o.value("--warmup", flags.warmup,
            {.help = "Number of warm-up updates, W", .default_text = source, .min = 0, .max = 1 << 24});
    o.value(
        "--updates", flags.updates,
        {.help = "Number of updates of the whole run, N, where the rate falls to its end", .max = 1 << 24});
    o.value("--dmodel", flags.d_model, {.help = "Width of the model, for inverse-sqrt", .max = 1 << 24});
    o.value("--at", flags.at,
            {.help = "Numbers of updates done, n", .value_name = "N,N", .min = 0, .max = 1 << 24});
}

void check_own(const ScheduleFlags& flags, const ModelSettings& s, const Options& o) {
    const ScheduleConfig config = config_of(flags, *s.convention);
    const std::string is = fmt::format("got {}", name(config.kind));
    if (s.grad) fail<UsageError>("--grad: a schedule counts updates, and has no gradient");
    if (config.kind == ScheduleKind::constant && o.given("--warmup"))
        fail<UsageError>("--warmup: requires a schedule with a warm-up, {}", is);
    if (!decays_to_zero(config.kind) && o.given("--updates"))
        fail<UsageError>("--updates: requires a schedule that ends with the run, {}", is);
    if (config.kind != ScheduleKind::wsd && o.given("--decay"))
        fail<UsageError>("--decay: requires wsd, {}", is);
    const bool counts = decays_to_zero(config.kind) && config.kind != ScheduleKind::one_cycle;
    if (!counts && o.given("--warmup-counts"))
        fail<UsageError>("--warmup-counts: requires cosine, cosine-printed, linear or wsd, {}", is);
    if (!decays_to_zero(config.kind) && o.given("--start"))
        fail<UsageError>("--start: requires a schedule with a warm-up, {}", is);
    if (config.counts != WarmupCount::done && config.start > 0)
        fail<UsageError>("--start: requires --warmup-counts done, got {}", name(config.counts));
    if (!(flags.start >= 0 && flags.start <= config.rate))
        fail<UsageError>("--start: expected from 0 to the rate, {}, got {}", config.rate, flags.start);
    if (config.kind != ScheduleKind::inverse_sqrt && o.given("--dmodel"))
        fail<UsageError>("--dmodel: requires inverse-sqrt, {}", is);
    if (!s.input.empty() && o.given("--at"))
        fail<UsageError>("--at: n comes from the --input file: leave it out");
    if (flags.least > 0 && !has_least(config.kind))
        fail<UsageError>("--least: requires cosine, linear, wsd or one-cycle, {}", is);
    if (!(flags.least <= config.rate))
        fail<UsageError>("--least: expected at most the rate, {}, got {}", config.rate, flags.least);
    glassbox::check(config);
}

ModelCommand model() {
    const auto flags = std::make_shared<ScheduleFlags>();
    ModelCommand command;
    command.order = 104;
    command.name = "schedule";
    command.summary = "The learning rate after n updates, factor by factor.";
    command.examples = {
        {"tracer schedule --warmup 50 --updates 500 --at 25,50,275", "In the warm-up, at its end, half way."},
        {"tracer schedule --schedule inverse-sqrt --rate 1 --warmup 4000 --at 0,3999,99999",
         "The paper's schedule."},
        {"tracer schedule --schedule wsd --warmup 20 --updates 200 --at 10,100,190",
         "Warm-up, stable, decay."},
        {"tracer schedule --schedule one-cycle --rate 1 --start 0.04 --warmup 30 --updates 100 --at "
         "0,15,30,99",
         "Up and down again, as PyTorch's OneCycleLR."},
        {"tracer schedule --at 25 --explain 'after/25/warmup'", "The arithmetic of a factor."},
        {"tracer schedule --mistake cosine/all-steps", "The rate jumps where the warm-up ends."}};
    command.options = {.input_help = "n by name, the numbers of updates done",
                       .own_choices = [flags](Options& o) { declare_own(o, *flags); },
                       .without = {"--rng", "--seed", "--weights", "--save-weights", "--products",
                                   "--backend", "--compare", "--scalar"}};
    command.inputs = {"n"};
    command.check = [flags](const ModelSettings& s, const Options& o) { check_own(*flags, s, o); };
    command.make = [flags](const ModelBuilder& m) { return make(m, *flags); };
    return command;
}

}  // namespace

Command schedule() { return command_of(model); }

}  // namespace glassbox::tracer::commands
