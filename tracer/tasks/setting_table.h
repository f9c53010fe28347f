#pragma once
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tasks/setting_value.h"

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
    const std::string& text(const std::string& name) const;  // throws UsageError without one
    const Convention& convention() const { return glassbox::convention(text("convention")); }
    const Texts& texts() const { return texts_; }
    // Does nothing when the setting exists.
    void add(const std::string& name, const std::string& text) { texts_.emplace(name, text); }

  private:
    Texts texts_;
};

// What people read of a setting: "epochs" is --epochs.
struct SettingName {
    const char *name, *group, *value_name, *help;
    const char* ending = "";  // the value may be a file, whose name ends so: ".npz"

    bool is_file() const { return *ending != '\0'; }
};

// A setting as an option of `tracer train`.
struct TaskSetting {
    std::string name, group, value_name, help;
    std::vector<std::string> words{};    // the possible values, or those besides a file; empty: any
    std::vector<std::string> endings{};  // the value is a file, whose name may end so: ".npz"

    bool is_file() const { return !endings.empty(); }
};

// Settings as a table: each is declared once, by its name, the variable that holds its value, and its limits.
// The variable's type gives its text, its possible values and its messages; its value at first is the
// default. A declared setting is read at once from the table's settings, so that a limit may depend on an
// earlier setting:
//
//     table.value(names::window, s.window, {.max = 1024});
//     table.value(names::season, s.season, {.max = s.window, .none = "auto"});
class SettingTable {
  public:
    enum class Reading {
        strictly,   // throws UsageError for what is not there or not accepted
        to_answer,  // the same; how the model was trained is not read
        leniently   // whole numbers have no limits, and what cannot be read keeps its default
    };
    SettingTable() = default;  // nothing is read: a table of defaults
    explicit SettingTable(const Settings& from, Reading how = Reading::strictly) : from_(&from), how_(how) {}

    template <class T>
    void value(const SettingName& name, T& target, const SettingLimits& limits = {}) {
        read(name, limits, [&target](const SettingText& typed) { target = SettingValue<T>::parse(typed); });
        add(name, SettingValue<T>::words(limits), SettingValue<T>::text(target, limits), limits);
    }
    // Declares that a setting has no effect beside those before it: "requires --optimiser sgd". Text that
    // turns it off, "0" or "none", is then accepted.
    void without_effect(const SettingName& name, const std::string& why) {
        without_effect_.emplace(name.name, why);
    }

    const std::vector<TaskSetting>& all() const& { return all_; }
    std::vector<TaskSetting> all() && { return std::move(all_); }
    bool has(const std::string& name) const;
    Settings::Texts texts() const;  // the values; one that is absent has no text
    const std::map<std::string, std::string>& without_effect() const { return without_effect_; }
    Settings others() const;  // what the settings that were read have besides: what a run learned of its data

  private:
    void read(const SettingName& name, const SettingLimits& limits,
              const std::function<void(const SettingText&)>& parse) const;
    void add(const SettingName& name, std::vector<std::string> words, const std::string& text,
             const SettingLimits& limits);

    const Settings* from_ = nullptr;
    Reading how_ = Reading::strictly;
    std::vector<TaskSetting> all_{};
    Settings::Texts texts_{};
    std::map<std::string, std::string> without_effect_{};
};

// Whether the text of a setting without effect turns it off: "0", "0.0" or "none".
bool says_none(const std::string& text);

}  // namespace glassbox
