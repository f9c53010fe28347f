#include <glassbox/tasks/task.h>

#include <algorithm>

#include <glassbox/tensor/format.h>

namespace glassbox {

std::vector<Task> every_tasks();  // cmake/table.cmake makes it from the files in tasks/all/

const std::vector<Task>& tasks() {
    static const std::vector<Task> all = [] {
        std::vector<Task> sorted = every_tasks();
        std::sort(sorted.begin(), sorted.end(), [](const Task& a, const Task& b) {
            return a.order != b.order ? a.order < b.order : a.name < b.name;
        });
        return sorted;
    }();
    return all;
}

std::vector<std::string> task_names() {
    std::vector<std::string> names;
    for (const Task& each : tasks()) names.push_back(each.name);
    return names;
}

const Task& task(std::string_view name) {
    for (const Task& each : tasks())
        if (each.name == name) return each;
    fail<UsageError>("train: no task '{}'; there are {}", name, fmt::join(task_names(), ", "));
}

void TrainSetup::draw(const Settings& s, const Draw& data) {
    const std::uint64_t seed = s.seed("data-seed");
    training = data("examples", seed);
    validation = data("validation", seed + 1);
    test = data("test", seed + 2);
}

namespace {

const Settings::Texts& of_every_task() {
    static const Settings::Texts all = {{"convention", conventions().front().name},
                                        {"norm", "post"},
                                        {"activation", "relu"},
                                        {"dropout", "0"},
                                        {"input-dropout", "0"},
                                        {"beta1", "0.9"},
                                        {"beta2", "0.999"},
                                        {"epsilon", "1e-08"},
                                        {"momentum", "0"},
                                        {"weight-decay", "0"},
                                        {"label-smoothing", "0"},
                                        {"seed", "42"}};
    return all;
}

}  // namespace

Settings settings_of(const Task& task, const Settings::Texts& typed) {
    Settings::Texts all = of_every_task();
    const auto lay_over = [&](const Settings::Texts& texts) {
        for (const auto& [name, text] : texts)
            if (!text.empty()) all[name] = text;
    };
    lay_over(task.defaults);
    const auto named = typed.find("convention");
    const bool is_named = named != typed.end() && !named->second.empty();
    const Convention& source = convention(is_named ? named->second : all["convention"]);
    lay_over(training_texts(source));
    if (const auto own = task.convention_defaults.find(source.name); own != task.convention_defaults.end())
        lay_over(own->second);
    all.try_emplace("dff");     // twice d_model unless told
    all.try_emplace("pieces");  // a matter of the backend
    for (const auto& [name, text] : typed)
        if (!text.empty() && !all.count(name))
            fail<UsageError>("--{}: tracer train {} has no such option", name, task.name);
    lay_over(typed);
    all["task"] = task.name;
    if (all["pieces"].empty()) all.erase("pieces");
    if (all["dff"].empty()) all["dff"] = std::to_string(2 * Settings(all).whole("dmodel", 1, 1 << 20));
    return Settings(all);
}

}  // namespace glassbox
