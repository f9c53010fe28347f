#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Pieces of JSON to put together. Nothing here throws on a value: what JSON has no number for is written as
// text, "NaN", "Infinity", "-Infinity" (with the quotes), and bytes that are not UTF-8 as U+FFFD.

[[nodiscard]] std::string json_number(
    double value,
    int digits = 9);  // 9 significant digits give back any float; a double needs 17
[[nodiscard]] std::string json_string(std::string_view text);  // quoted and escaped
// Nested by axes: [[1, 2], [3, 4]]; a scalar is a number alone. Without elements it is [] whatever its shape:
// (2^40, 0) must not write 2^40 brackets.
[[nodiscard]] std::string json_array(const Tensor& tensor, int digits = 9);
[[nodiscard]] std::string json_list(const std::vector<index_t>& numbers);
[[nodiscard]] std::string json_list(
    const std::vector<double>& numbers);  // as many digits as bring every `real` back

}  // namespace glassbox
