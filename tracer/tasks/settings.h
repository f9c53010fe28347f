#pragma once
#include <map>
#include <string>

#include <glassbox/conventions/convention.h>

namespace glassbox {

// All settings that determine a training run's numbers, as text: options given on the command line, or the
// defaults of the task and the convention. A checkpoint stores them, so that a resumed run uses the same; a
// task reads them as a value of its own type (task_settings.h).
class Settings {
  public:
    using Texts = std::map<std::string, std::string>;  // "epochs" → "10"

    Settings() = default;
    explicit Settings(Texts texts) : texts_(std::move(texts)) {}

    bool has(const std::string& name) const { return texts_.count(name) > 0; }
    const std::string& text(const std::string& name) const;  // throws UsageError where there is none
    const Convention& convention() const { return glassbox::convention(text("convention")); }
    const Texts& texts() const { return texts_; }
    // Does nothing when the setting exists.
    void add(const std::string& name, const std::string& text) { texts_.emplace(name, text); }

  private:
    Texts texts_;
};

}  // namespace glassbox
