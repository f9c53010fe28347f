#include "cli/option_value.h"

#include <algorithm>
#include <cmath>

#include "cli/nearest.h"

namespace glassbox::tracer {

std::vector<std::string> split_at(const std::string& text, char separator) {
    std::vector<std::string> result;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        result.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return result;
}

std::string either(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    return text;
}

const std::string& one_of(const std::string& option, const std::string& word,
                          const std::vector<std::string>& words) {
    if (std::find(words.begin(), words.end(), word) == words.end())
        fail<UsageError>("{}: expected {}, got '{}'{}", option, either(words), word,
                         did_you_mean(word, words));
    return word;
}

double OptionValue<double>::parse(const Typed& typed) {
    using Limits = std::numeric_limits<real>;
    const double value = parse_real(typed.option, typed.text, typed.about.min_real);
    const double largest = static_cast<double>(Limits::max()),
                 least = static_cast<double>(Limits::denorm_min());
    if (std::abs(value) >
        largest * (1 + static_cast<double>(Limits::epsilon()) / 4))  // what is rounded to it counts
        fail<UsageError>("{}: expected at most {}, the largest number of this build, got {}", typed.option,
                         Limits::max(), typed.text);
    if (value != 0 && std::abs(value) <= least / 2)
        fail<UsageError>("{}: expected at least {}, the smallest number of this build above 0, got {}",
                         typed.option, Limits::denorm_min(), typed.text);
    return value;
}

}  // namespace glassbox::tracer
