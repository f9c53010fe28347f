#include "train/settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

#include "train/tasks.h"

namespace tracer {

using glassbox::fail;
using glassbox::UsageError;

const std::string& Settings::text(const std::string& name) const {
    const auto found = texts_.find(name);
    if (found == texts_.end()) fail<UsageError>("--{}: not told, and this task has no default for it", name);
    return found->second;
}

index_t Settings::whole(const std::string& name, index_t least, index_t most) const {
    return whole_number("--" + name, text(name), least, most);
}

double Settings::number(const std::string& name, double least, double most) const {
    const std::string& word = text(name);
    double value = 0;
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || rest != word.data() + word.size() || !std::isfinite(value))
        fail<UsageError>("--{}: a number expected, got '{}'", name, word);
    if (value < least || value > most)
        fail<UsageError>("--{}: a number from {} to {} expected, got {}", name, least, most, word);
    return value;
}

double Settings::share(const std::string& name) const {
    const double value = number(name, 0, 1);
    if (value == 1) fail<UsageError>("--{}: a number from 0 up to, not including, 1 expected, got 1", name);
    return value;
}

std::uint64_t Settings::seed(const std::string& name) const { return seed_number("--" + name, text(name)); }

const std::vector<Setting>& settings() {
    static const std::vector<Setting> all = {
        {"convention", "Model", "NAME", "Whose choices: see docs/conventions.md",
         glassbox::convention_names()},
        {"dmodel", "Model", "N", "Width of the model, d_model", {}},
        {"heads", "Model", "N", "Attention heads, h", {}},
        {"layers", "Model", "N", "Blocks", {}},
        {"dff", "Model", "N", "Width of the feed-forward network's hidden layer, d_ff", {}},
        {"norm", "Model", "PLACE", "LayerNorm behind the residual or before the sublayer", {"post", "pre"}},
        {"activation", "Model", "NAME", "Of the feed-forward network", {"relu", "gelu"}},
        {"pooling",
         "Model",
         "NAME",
         "How the sequence becomes one answer; all: the three, one after the other",
         {"mean", "max", "cls", "all"}},
        {"dropout", "Model", "P", "Drops with this probability in blocks and output network", {}},
        {"input-dropout", "Model", "P", "The same for the input", {}},
        {"seq", "Data", "N", "Length of a sequence, or how many elements a set has", {}},
        {"categories", "Data", "N", "How many different numbers there are", {}},
        {"examples", "Data", "N", "Examples to train with; of anomaly, images a class", {}},
        {"validation", "Data", "N", "Examples to validate with", {}},
        {"test", "Data", "N", "Examples to test with; of anomaly, images a class", {}},
        {"data-seed", "Data", "N", "Seed of the training data; validation and test take the next two", {}},
        {"question", "Data", "NAME", "What is asked about the sequence", {"most-frequent", "parity"}},
        {"features",
         "Data",
         "FILE",
         "The tutorial's features, .npz with feats and labels, or made here",
         {"generated"}},
        {"test-features",
         "Data",
         "FILE",
         "The same of the images to test with, or none: those to validate with",
         {"none"}},
        {"spread", "Data", "R", "How far generated images stray from their class: the difficulty", {}},
        {"epochs", "Training", "N", "Times through the training data", {}},
        {"batch", "Training", "N", "Examples a step", {}},
        {"pieces",
         "Training",
         "N",
         "On cuda, cuts each batch in so many; N GPUs give the bits that one gives (one a rank)",
         {}},
        {"rate", "Training", "R", "Learning rate, the peak of the schedule", {}},
        {"schedule",
         "Training",
         "NAME",
         "How the learning rate goes",
         {"constant", "cosine", "cosine-printed", "inverse-sqrt"}},
        {"warmup", "Training", "N", "Steps in which it rises", {}},
        {"optimiser", "Training", "NAME", "What makes a step of a gradient", {"adam", "adamw", "sgd"}},
        {"beta1", "Training", "B", "Adam's memory of gradients", {}},
        {"beta2", "Training", "B", "Adam's memory of their squares", {}},
        {"epsilon", "Training", "E", "Added to Adam's denominator", {}},
        {"momentum", "Training", "M", "SGD's memory", {}},
        {"weight-decay", "Training", "L", "λ: shrinks weights, in AdamW apart from the gradient", {}},
        {"clip", "Training", "N", "Longest gradient, by the norm of all of it; 0: any", {}},
        {"label-smoothing", "Training", "E", "Share of a label's certainty spread over all classes", {}},
        {"seed", "Training", "N", "Of first weights, the order of the data, dropout", {}},
    };
    return all;
}

void declare_settings(Options& options, Settings::Texts& typed) {
    std::string group;
    for (const Setting& setting : settings()) {
        if (group != setting.group) options.group(group = setting.group);
        options.value("--" + std::string(setting.name), typed[setting.name], setting.placeholder,
                      std::string(setting.help) + ".",
                      setting.is_file()       ? Values::file({".npz"}, setting.words)
                      : setting.words.empty() ? Values::anything()
                                              : Values::one_of(setting.words));
    }
}

namespace {

// How the convention's own code trains, in the words of the options.
Settings::Texts of_convention(const std::string& name, const TrainTask& task) {
    const glassbox::TrainingDefaults& training = glassbox::convention(name).training;
    Settings::Texts texts{{"schedule", glassbox::name(training.schedule)},
                          {"clip", fmt::format("{}", training.clipping.max_norm)},
                          {"optimiser", glassbox::name(training.optimiser)}};
    const auto add = [&](const char* setting, const auto& value) {
        if (value) texts[setting] = fmt::format("{}", *value);
    };
    add("rate", training.rate), add("weight-decay", training.weight_decay), add("beta2", training.beta2);
    add("epsilon", training.epsilon), add("warmup", training.warmup);
    if (name == "uva-torch" && task.name == "anomaly") texts["clip"] = "2";
    return texts;
}

const Settings::Texts& of_every_task() {
    static const Settings::Texts all = {{"convention", "uva-jax"},
                                        {"norm", "post"},
                                        {"activation", "relu"},
                                        {"dropout", "0"},
                                        {"input-dropout", "0"},
                                        {"optimiser", "adam"},
                                        {"beta1", "0.9"},
                                        {"beta2", "0.999"},
                                        {"epsilon", "1e-08"},
                                        {"momentum", "0"},
                                        {"weight-decay", "0"},
                                        {"label-smoothing", "0"},
                                        {"seed", "42"}};
    return all;
}

void check_belongs(const TrainTask& task, const Settings& settings, const Settings::Texts& typed) {
    for (const auto& [name, text] : typed)
        if (!text.empty() && !settings.has(name))
            fail<UsageError>("--{}: tracer train {} has no such option", name, task.name);
}

}  // namespace

Settings settings_of(const TrainTask& task, const Settings::Texts& typed) {
    Settings::Texts all = of_every_task();
    const auto lay_over = [&](const Settings::Texts& texts) {
        for (const auto& [name, text] : texts)
            if (!text.empty()) all[name] = text;
    };
    lay_over(task.defaults);
    const auto named = typed.find("convention");
    const bool is_named = named != typed.end() && !named->second.empty();
    lay_over(of_convention(is_named ? named->second : all["convention"], task));
    all.try_emplace("dff");     // twice d_model unless told
    all.try_emplace("pieces");  // a matter of the backend
    check_belongs(task, Settings(all), typed);
    lay_over(typed);
    all["task"] = task.name;
    if (all["pieces"].empty()) all.erase("pieces");
    if (all["dff"].empty()) all["dff"] = std::to_string(2 * Settings(all).whole("dmodel", 1, 1 << 20));
    return Settings(all);
}

Settings settings_of_checkpoint(const Settings::Texts& config, const Settings::Texts& typed) {
    for (const auto& [name, text] : typed) {
        const auto found = config.find(name);
        const std::string before = found == config.end() ? "nothing" : found->second;
        if (!text.empty() && text != before)
            fail<UsageError>("--{}: the run to be resumed has {}, got {}; a run goes on as it began", name,
                             before, text);
    }
    return Settings(config);
}

void check_words(const Settings& told) {
    for (const Setting& setting : settings()) {
        if (setting.words.empty() || setting.is_file() || !told.has(setting.name)) continue;
        const std::string& word = told.text(setting.name);
        if (std::find(setting.words.begin(), setting.words.end(), word) == setting.words.end())
            fail<UsageError>("--{}: one of {} expected, got '{}'", setting.name,
                             fmt::join(setting.words, ", "), glassbox::printable(word));
    }
}

glassbox::TrainerConfig trainer_config(const Settings& s, index_t examples) {
    glassbox::TrainerConfig config;
    config.epochs = s.whole("epochs", 1, 1'000'000);
    config.batch = s.whole("batch", 1, 1 << 24);
    if (config.batch > examples)
        fail<UsageError>("--batch: {} examples a step, and there are {} to train with", config.batch,
                         examples);
    if (s.has("pieces")) config.pieces = s.whole("pieces", 1, 4096);
    config.seed = s.seed();
    config.optimiser.kind = glassbox::parse_optimiser(s.text("optimiser"));
    config.optimiser.beta1 = s.share("beta1"), config.optimiser.beta2 = s.share("beta2");
    config.optimiser.epsilon = s.number("epsilon", 1e-30, 1);
    config.optimiser.momentum = s.share("momentum");
    config.optimiser.weight_decay = s.number("weight-decay", 0, 1e6);
    config.schedule.kind = glassbox::parse_schedule(s.text("schedule"));
    config.schedule.rate = s.number("rate", 0, 1e6);
    config.schedule.warmup = s.whole("warmup", 0);
    config.schedule.steps = config.epochs * (examples / config.batch);
    config.schedule.d_model = s.whole("dmodel", 1, 1 << 20);
    config.clipping.max_norm = s.number("clip", 0, 1e30);
    config.clipping.epsilon = s.convention().training.clipping.epsilon;
    return config;
}

}  // namespace tracer
