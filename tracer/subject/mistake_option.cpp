#include "subject/mistake_option.h"

#include <glassbox/tensor/format.h>

#include "cli/nearest.h"

namespace glassbox::tracer {

std::vector<std::string> mistake_keys() {
    std::vector<std::string> keys;
    for (const Mistake& each : all_mistakes()) keys.push_back(each.key);
    return keys;
}

PlacedMistake OptionValue<PlacedMistake>::parse(const Typed& typed) {
    try {
        return parse_mistake(typed.text);
    } catch (const UsageError& error) {
        fail<UsageError>("{}: {}{}", typed.option, error.what(), did_you_mean(typed.text, mistake_keys()));
    }
}

Values OptionValue<PlacedMistake>::values(const OptionInfo&) { return {.words = mistake_keys()}; }

}  // namespace glassbox::tracer
