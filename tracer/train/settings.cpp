#include "train/settings.h"

#include <algorithm>

#include <glassbox/io/detail/text.h>
#include <glassbox/layers/encoder_block.h>
#include <glassbox/tensor/format.h>
#include <glassbox/train/optimiser.h>
#include <glassbox/train/schedule.h>

namespace tracer {

using glassbox::fail;
using glassbox::UsageError;

namespace {

const std::vector<Setting>& shared_settings() {
    static const std::vector<Setting> all = {
        {"convention", "Model", "NAME", "Convention to follow (docs/conventions.md)",
         glassbox::convention_names()},
        {"dmodel", "Model", "N", "Width of the model, d_model", {}},
        {"heads", "Model", "N", "Number of attention heads, h", {}},
        {"layers", "Model", "N", "Number of blocks", {}},
        {"dff", "Model", "N", "Width of the feed-forward network's hidden layer, d_ff", {}},
        {"norm", "Model", "PLACE", "Norm after the residual or before the sublayer",
         glassbox::words<glassbox::NormPlacement>()},
        {"activation", "Model", "NAME", "Activation of the feed-forward network",
         glassbox::words<glassbox::Activation>()},
        {"dropout", "Model", "P", "Dropout probability in blocks and output network", {}},
        {"input-dropout", "Model", "P", "Dropout probability of the input", {}},
        {"seq", "Data", "N", "Length of a sequence, T, or size of a set", {}},
        {"categories", "Data", "N", "Number of different symbols", {}},
        {"examples", "Data", "N", "Number of training examples; for anomaly, of images per class", {}},
        {"validation", "Data", "N", "Number of validation examples", {}},
        {"test", "Data", "N", "Number of test examples; for anomaly, of images per class", {}},
        {"data-seed", "Data", "N", "Seed of the training data; validation and test use the next two", {}},
        {"epochs", "Training", "N", "Number of passes through the training data", {}},
        {"batch", "Training", "N", "Number of examples per step", {}},
        {"pieces",
         "Training",
         "N",
         "On cuda, number of pieces of each batch; results are the same on up to N GPUs (one per rank)",
         {}},
        {"rate", "Training", "R", "Peak learning rate, η", {}},
        {"schedule", "Training", "NAME", "Schedule of the learning rate",
         glassbox::words<glassbox::ScheduleKind>()},
        {"warmup", "Training", "N", "Number of warm-up steps", {}},
        {"optimiser", "Training", "NAME", "Optimiser", glassbox::words<glassbox::OptimiserKind>()},
        {"beta1", "Training", "B", "Adam's decay rate of the first moment, β₁", {}},
        {"beta2", "Training", "B", "Adam's decay rate of the second moment, β₂", {}},
        {"epsilon", "Training", "E", "Term added to Adam's denominator, ε", {}},
        {"momentum", "Training", "M", "Momentum of SGD", {}},
        {"weight-decay", "Training", "L", "Weight decay, λ; decoupled from the gradient in AdamW", {}},
        {"clip", "Training", "N", "Maximum norm of the gradient (0: no clipping)", {}},
        {"label-smoothing", "Training", "E", "Probability spread over all classes in each label", {}},
        {"average",
         "Training",
         "N",
         "Also validate the mean of the parameters at the ends of the last N epochs",
         {}},
        {"seed", "Training", "N", "Seed of the initial weights, the order of the data, and dropout", {}},
    };
    return all;
}

}  // namespace

const std::vector<Setting>& settings() {
    static const std::vector<Setting> all = [] {
        std::vector<Setting> every = shared_settings();
        for (const glassbox::Task& task : glassbox::tasks())
            for (const Setting& own : task.settings) {
                const auto is = [&](const Setting& each) { return each.name == own.name; };
                if (std::none_of(every.begin(), every.end(), is)) every.push_back(own);
            }
        std::vector<Setting> grouped;  // groups in the order of their first setting
        for (const Setting& first : every)
            for (const Setting& each : every) {
                const auto is = [&](const Setting& other) { return other.name == each.name; };
                if (each.group == first.group && std::none_of(grouped.begin(), grouped.end(), is))
                    grouped.push_back(each);
            }
        return grouped;
    }();
    return all;
}

void declare_settings(Options& options, Settings::Texts& typed) {
    std::string group;
    for (const Setting& setting : settings()) {
        if (group != setting.group) options.group(group = setting.group);
        OptionInfo about{
            .help = setting.help, .value_name = setting.value_name, .default_text = "the task's"};
        about.words = setting.words;
        about.words_only = !setting.words.empty() && !setting.is_file();
        about.endings = setting.endings;
        options.value("--" + setting.name, typed[setting.name], about);
    }
}

Settings settings_of_checkpoint(const Settings::Texts& config, const Settings::Texts& typed) {
    for (const auto& [name, text] : typed) {
        const auto found = config.find(name);
        const std::string before = found == config.end() ? "nothing" : found->second;
        if (!text.empty() && text != before)
            fail<UsageError>("--{}: the run to be resumed has {}, got {}; settings cannot change", name,
                             before, text);
    }
    return Settings(config);
}

void check_words(const Settings& given) {
    for (const Setting& setting : settings()) {
        if (setting.words.empty() || setting.is_file() || !given.has(setting.name)) continue;
        const std::string& word = given.text(setting.name);
        if (std::find(setting.words.begin(), setting.words.end(), word) == setting.words.end())
            fail<UsageError>("--{}: one of {} expected, got '{}'", setting.name,
                             fmt::join(setting.words, ", "), glassbox::printable(word));
    }
}

}  // namespace tracer
