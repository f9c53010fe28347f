#pragma once
#include <cstdint>
#include <map>
#include <string>

#include <glassbox/conventions/convention.h>
#include <glassbox/train/trainer.h>

namespace glassbox {

// Everything that decides a training run's numbers, as text: what was typed, or the defaults of the task and
// the convention. A checkpoint carries them, so that a run goes on with the same. Readers throw UsageError
// that names the setting as an option, --epochs, with the rule and the text.
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
    const Convention& convention() const { return glassbox::convention(text("convention")); }
    const Texts& texts() const { return texts_; }
    // Unless it has been told.
    void add(const std::string& name, const std::string& text) { texts_.emplace(name, text); }

  private:
    Texts texts_;
};

// How the convention's own code trains, as settings; what it leaves open is not among them.
Settings::Texts training_texts(const Convention& convention);

// How to train on so many examples.
TrainerConfig trainer_config(const Settings& settings, index_t examples);

}  // namespace glassbox
