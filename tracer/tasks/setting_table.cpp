#include "tasks/setting_table.h"

#include <algorithm>
#include <limits>

#include <glassbox/tensor/format.h>

#include "tasks/setting_names.h"

namespace glassbox {

const std::string& Settings::text(const std::string& name) const {
    const auto found = texts_.find(name);
    if (found == texts_.end()) fail<UsageError>("--{}: not given, and this task has no default for it", name);
    return found->second;
}

bool says_none(const std::string& text) {
    return text == "none" || (!text.empty() && text.find_first_not_of("0.") == std::string::npos);
}

bool SettingTable::has(const std::string& name) const {
    return std::any_of(all_.begin(), all_.end(), [&](const TaskSetting& each) { return each.name == name; });
}

Settings::Texts SettingTable::texts() const { return texts_; }

Settings SettingTable::others() const {
    Settings::Texts others;
    if (from_)
        for (const auto& [name, text] : from_->texts())
            if (!has(name)) others.emplace(name, text);
    return Settings(others);
}

void SettingTable::read(const SettingName& name, const SettingLimits& limits,
                        const std::function<void(const SettingText&)>& parse) const {
    if (!from_ || (how_ == Reading::to_answer && name.group == std::string_view(names::training))) return;
    if (!from_->has(name.name) && limits.may_lack) return;
    const std::string option = std::string("--") + name.name;
    if (how_ == Reading::leniently) {
        SettingLimits wide = limits;
        wide.min = 0, wide.max = std::numeric_limits<index_t>::max();
        try {
            parse({option, from_->text(name.name), wide});
        } catch (const UsageError&) {  // the default counts
        }
        return;
    }
    const std::string& text = from_->text(name.name);
    try {
        parse({option, text, limits});
    } catch (const UsageError&) {
        if (!without_effect_.count(name.name) || !says_none(text)) throw;
    }
}

void SettingTable::add(const SettingName& name, std::vector<std::string> words, const std::string& text,
                       const SettingLimits& limits) {
    TaskSetting setting{name.name, name.group, name.value_name, name.help, std::move(words)};
    if (name.is_file()) setting.words = {limits.none}, setting.endings = {name.ending};
    all_.push_back(std::move(setting));
    if (!text.empty()) texts_[name.name] = text;
}

}  // namespace glassbox
