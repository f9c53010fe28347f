#include "subject/matrix_option.h"

#include <charconv>
#include <cmath>
#include <vector>

#include <glassbox/tensor/format.h>

namespace glassbox::tracer {

namespace {

real parse_number(const std::string& option, const std::string& word) {
    const char *const begin = word.data() + (word[0] == '+'), *const end = word.data() + word.size();
    double value = 0;
    const auto [after, error] = std::from_chars(begin, end, value);
    if (error == std::errc::invalid_argument || after != end)
        fail<UsageError>("{}: expected numbers, rows separated by ';', such as '1 0; 0 1', got '{}'", option,
                         word);
    const real number = static_cast<real>(value);
    if (error == std::errc::result_out_of_range || (std::isinf(number) && !std::isinf(value)))
        fail<UsageError>("{}: '{}' is out of range for floating-point numbers", option, word);
    return number;
}

}  // namespace

Tensor parse_matrix(const std::string& option, const std::string& text) {
    std::vector<std::vector<real>> rows(1);
    int depth = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == ' ' || c == ',' || c == '\n' || c == '\t') {
            ++at;
        } else if (c == '[' || c == ']' || c == ';') {
            depth += c == '[' ? 1 : c == ']' ? -1 : 0;
            if (depth < 0 || depth > 2) break;
            if (c != '[' && !rows.back().empty()) rows.emplace_back();
            ++at;
        } else {
            const std::size_t end = std::min(text.find_first_of(" ,;[]\n\t", at), text.size());
            rows.back().push_back(parse_number(option, text.substr(at, end - at)));
            at = end;
        }
    }
    if (depth != 0)
        fail<UsageError>("{}: brackets do not match: expected rows such as '[[1, 0], [0, 1]]', got '{}'",
                         option, text);
    if (rows.back().empty()) rows.pop_back();
    if (rows.empty()) fail<UsageError>("{}: expected a matrix, such as '1 0; 0 1', got nothing", option);
    std::vector<real> values;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].size() != rows[0].size())
            fail<UsageError>("{}: rows differ in length: row 0 has {} numbers, row {} has {}", option,
                             rows[0].size(), i, rows[i].size());
        values.insert(values.end(), rows[i].begin(), rows[i].end());
    }
    return Tensor(Shape{static_cast<index_t>(rows.size()), static_cast<index_t>(rows[0].size())}, values);
}

std::string OptionValue<Tensor>::text(const Tensor& matrix) {
    return matrix.defined() ? fmt::format("{}", matrix) : "";
}

}  // namespace glassbox::tracer
