#include "tasks/settings.h"

#include <limits>

#include <glassbox/io/detail/numbers.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

const std::string& Settings::text(const std::string& name) const {
    const auto found = texts_.find(name);
    if (found == texts_.end()) fail<UsageError>("--{}: not given, and this task has no default for it", name);
    return found->second;
}

index_t Settings::whole(const std::string& name, index_t min, index_t max) const {
    return parse_integer("--" + name, text(name), min, max);
}

double Settings::number(const std::string& name, double min, double max) const {
    const std::string& word = text(name);
    const double value = parse_real("--" + name, word, -std::numeric_limits<double>::max());
    if (value < min || value > max)
        fail<UsageError>("--{}: a number from {} to {} expected, got {}", name, min, max, word);
    return value;
}

double Settings::fraction(const std::string& name) const {
    const double value = number(name, 0, 1);
    if (value == 1) fail<UsageError>("--{}: a number at least 0 and less than 1 expected, got 1", name);
    return value;
}

std::uint64_t Settings::seed(const std::string& name) const { return parse_seed("--" + name, text(name)); }

Settings::Texts training_texts(const Convention& convention) {
    const TrainingDefaults& training = convention.training;
    Settings::Texts texts{{"schedule", name(training.schedule)},
                          {"clip", fmt::format("{}", training.clipping.max_norm)},
                          {"optimiser", name(training.optimiser)}};
    const auto add = [&](const char* setting, const auto& value) {
        if (value) texts[setting] = fmt::format("{}", *value);
    };
    add("rate", training.rate), add("weight-decay", training.weight_decay), add("beta2", training.beta2);
    add("epsilon", training.epsilon), add("warmup", training.warmup);
    return texts;
}

TrainerConfig trainer_config(const Settings& s, index_t examples) {
    TrainerConfig config;
    config.epochs = s.whole("epochs", 1, 1'000'000);
    config.batch = s.whole("batch", 1, 1 << 24);
    if (config.batch > examples)
        fail<UsageError>("--batch: {0} examples per step, and the training set has {1}: at most --batch {1}",
                         config.batch, examples);
    if (s.has("average")) config.average = s.whole("average", 1, config.epochs);
    if (s.has("pieces")) config.pieces = s.whole("pieces", 1, 4096);
    config.seed = s.seed();
    config.optimiser.kind = parse<OptimiserKind>(s.text("optimiser"));
    config.optimiser.beta1 = s.fraction("beta1"), config.optimiser.beta2 = s.fraction("beta2");
    config.optimiser.epsilon = s.number("epsilon", 1e-30, 1);
    config.optimiser.momentum = s.fraction("momentum");
    config.optimiser.weight_decay = s.number("weight-decay", 0, 1e6);
    config.schedule.kind = parse<ScheduleKind>(s.text("schedule"));
    config.schedule.rate = s.number("rate", 0, 1e6);
    config.schedule.warmup = s.whole("warmup", 0);
    config.schedule.may_end_in_warmup = true;  // a first try of a few steps, with the source's own warm-up
    config.schedule.d_model = s.whole("dmodel", 1, 1 << 20);
    config.clipping.max_norm = s.number("clip", 0, 1e30);
    config.clipping.epsilon = s.convention().training.clipping.epsilon;
    return config;
}

}  // namespace glassbox
