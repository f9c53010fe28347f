#pragma once
#include <cstdint>
#include <map>
#include <string>

#include <glassbox/conventions/convention.h>
#include <glassbox/train/trainer.h>

namespace glassbox {

// All settings that determine a training run's numbers, as text: options given on the command line, or the
// defaults of the task and the convention. A checkpoint stores them, so that a resumed run uses the same. The
// getters throw UsageError, which names the setting as an option (--epochs), the rule and the text.
class Settings {
  public:
    using Texts = std::map<std::string, std::string>;  // "epochs" → "10"

    Settings() = default;
    explicit Settings(Texts texts) : texts_(std::move(texts)) {}

    bool has(const std::string& name) const { return texts_.count(name) > 0; }
    const std::string& text(const std::string& name) const;
    index_t whole(const std::string& name, index_t min, index_t max = index_t{1} << 40) const;
    double number(const std::string& name, double min, double max) const;
    double fraction(const std::string& name) const;  // in [0, 1)
    std::uint64_t seed(const std::string& name = "seed") const;
    const Convention& convention() const { return glassbox::convention(text("convention")); }
    const Texts& texts() const { return texts_; }
    // Does nothing when the setting exists.
    void add(const std::string& name, const std::string& text) { texts_.emplace(name, text); }

  private:
    Texts texts_;
};

// The convention's training defaults as settings; values that it leaves open are absent.
Settings::Texts training_texts(const Convention& convention);

// The trainer's config for a training set of `examples` examples.
TrainerConfig trainer_config(const Settings& settings, index_t examples);

}  // namespace glassbox
