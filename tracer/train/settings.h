#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/conventions/convention.h>
#include <glassbox/train/trainer.h>

#include "options.h"

namespace tracer {

using glassbox::index_t;

// Everything that decides a training run's numbers, as text: what --epochs and its like say, or the defaults
// of the task and the convention. A checkpoint carries them, so that --resume goes on with the same.
class Settings {
  public:
    using Texts = std::map<std::string, std::string>;  // "epochs" → "10"

    Settings() = default;
    explicit Settings(Texts texts) : texts_(std::move(texts)) {}

    bool has(const std::string& name) const { return texts_.count(name) > 0; }
    const std::string& text(const std::string& name) const;
    index_t whole(const std::string& name, index_t least, index_t most = index_t{1} << 40) const;
    double number(const std::string& name, double least, double most) const;
    double share(const std::string& name) const;  // from 0 up to, not including, 1
    std::uint64_t seed(const std::string& name = "seed") const;
    const glassbox::Convention& convention() const { return glassbox::convention(text("convention")); }
    const Texts& texts() const { return texts_; }
    // Unless it has been told.
    void add(const std::string& name, const std::string& text) { texts_.emplace(name, text); }

  private:
    Texts texts_;
};

// One of these options: "epochs" is --epochs.
struct Setting {
    const char *name, *group, *placeholder, *help;
    std::vector<std::string> words;  // the values there are; empty: a number

    bool is_file() const { return std::string_view(placeholder) == "FILE"; }  // besides its words
};
const std::vector<Setting>& settings();
void declare_settings(Options& options, Settings::Texts& typed);

// Task defaults, over them the convention's, over them what was typed. Throws UsageError for an option that
// the task does not have.
struct TrainTask;
Settings settings_of(const TrainTask& task, const Settings::Texts& typed);
// What a checkpoint was told; an option typed now must say the same, else UsageError with both values.
Settings settings_of_checkpoint(const Settings::Texts& config, const Settings::Texts& typed);

// Refuses what no option could have said: a file's settings are not to be believed. Throws UsageError.
void check_words(const Settings& settings);

glassbox::TrainerConfig trainer_config(const Settings& settings, index_t examples);

}  // namespace tracer
