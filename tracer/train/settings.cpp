#include "train/settings.h"

#include <algorithm>

#include <glassbox/io/detail/text.h>
#include <glassbox/layers/encoder_block.h>
#include <glassbox/tasks/whole_sequence.h>
#include <glassbox/tensor/format.h>
#include <glassbox/train/optimiser.h>
#include <glassbox/train/schedule.h>

namespace tracer {

using glassbox::fail;
using glassbox::UsageError;

const std::vector<Setting>& settings() {
    static const std::vector<Setting> all = {
        {"convention", "Model", "NAME", "Whose choices (docs/conventions.md)", glassbox::convention_names()},
        {"dmodel", "Model", "N", "Width of the model, d_model", {}},
        {"heads", "Model", "N", "Attention heads, h", {}},
        {"layers", "Model", "N", "Blocks", {}},
        {"dff", "Model", "N", "Width of the feed-forward network's hidden layer, d_ff", {}},
        {"norm", "Model", "PLACE", "LayerNorm behind the residual or before the sublayer",
         glassbox::words<glassbox::NormPlacement>()},
        {"activation", "Model", "NAME", "Of the feed-forward network",
         glassbox::words<glassbox::Activation>()},
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
        {"question", "Data", "NAME", "What is asked about the sequence",
         glassbox::words<glassbox::Question>()},
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
        {"schedule", "Training", "NAME", "How the learning rate goes",
         glassbox::words<glassbox::ScheduleKind>()},
        {"warmup", "Training", "N", "Steps in which it rises", {}},
        {"optimiser", "Training", "NAME", "What makes a step of a gradient",
         glassbox::words<glassbox::OptimiserKind>()},
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
        About about{.help = setting.help, .value_name = setting.value_name, .otherwise = "the task's"};
        about.words = setting.words;
        about.words_only = !setting.words.empty() && !setting.is_file();
        if (setting.is_file()) about.endings = {".npz"};
        options.value("--" + std::string(setting.name), typed[setting.name], about);
    }
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

}  // namespace tracer
