#include "subject/mistake_option.h"

#include <glassbox/tensor/format.h>

#include "cli/nearest.h"

namespace glassbox::tracer {

std::vector<std::string> mistake_keys() {
    std::vector<std::string> keys;
    for (const Mistake& each : all_mistakes()) keys.push_back(each.key);
    return keys;
}

namespace {

// "; did you mean …?", or else some of the same step.
std::string other_mistakes(const std::string& typed) {
    const std::string near = did_you_mean(typed, mistake_keys());
    if (!near.empty()) return near;
    const std::string step = typed.substr(0, typed.find('/') + 1);
    std::vector<std::string> found;
    for (const std::string& key : mistake_keys())
        if (!step.empty() && key.starts_with(step)) found.push_back(key);
    constexpr std::size_t max_shown = 6;
    const bool is_more = found.size() > max_shown;
    if (is_more) found.resize(max_shown);
    return found.empty() ? "" : fmt::format("; there is {}{}", fmt::join(found, ", "), is_more ? " …" : "");
}

}  // namespace

PlacedMistake OptionValue<PlacedMistake>::parse(const Typed& typed) {
    try {
        return parse_mistake(typed.text);
    } catch (const UsageError& error) {
        fail<UsageError>("{}: {}{}", typed.option, error.what(), other_mistakes(typed.text));
    }
}

Values OptionValue<PlacedMistake>::values(const OptionInfo&) { return {.words = mistake_keys()}; }

}  // namespace glassbox::tracer
