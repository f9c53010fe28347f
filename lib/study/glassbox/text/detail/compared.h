#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace glassbox::detail {

// Shared by BLEU and chrF. White space is what Python's str.split takes for it, as in sacrebleu: Unicode's,
// and the four separators of ASCII. Text that is not UTF-8 throws Error.

// Whether the byte at `at` is the last of a white space character.
bool is_python_space(std::string_view text, std::size_t at);
std::vector<std::string> python_words(std::string_view text);

// Throws Error for lists of different lengths.
void check_as_many(const char* metric, const std::vector<std::string>& translations,
                   const std::vector<std::string>& references);

}  // namespace glassbox::detail
