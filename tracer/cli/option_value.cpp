#include "cli/option_value.h"

#include <algorithm>

#include "cli/nearest.h"

namespace tracer {

std::vector<std::string> comma_list(const std::string& text) {
    std::vector<std::string> result;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        result.push_back(text.substr(begin, comma - begin));
        begin = comma + 1;
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
        glassbox::fail<glassbox::UsageError>("{}: {} expected, got '{}'{}", option, either(words), word,
                                             did_you_mean(word, words));
    return word;
}

}  // namespace tracer
