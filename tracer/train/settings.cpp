#include "train/settings.h"

#include <algorithm>

#include <glassbox/tensor/format.h>

namespace glassbox::tracer {

const std::vector<Setting>& settings() {
    static const std::vector<Setting> all = [] {
        std::vector<Setting> every;
        for (const glassbox::Task& task : tasks())
            for (const Setting& own : task.defaults(conventions().front()).all()) {
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

}  // namespace glassbox::tracer
