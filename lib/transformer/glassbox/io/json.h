#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Fragments of JSON. Nothing here throws on a value: numbers that JSON lacks are written as the strings
// "NaN", "Infinity" and "-Infinity", and bytes that are not UTF-8 as U+FFFD.

[[nodiscard]] std::string json_number(
    double value,
    int digits = 9);  // 9 significant digits round-trip any float; a double needs 17
[[nodiscard]] std::string json_string(std::string_view text);  // quoted and escaped
// Nested by axis: [[1, 2], [3, 4]]; a scalar is a plain number. A tensor without elements is [] whatever its
// shape: (2^40, 0) must not write 2^40 brackets.
[[nodiscard]] std::string json_array(const Tensor& tensor, int digits = 9);
[[nodiscard]] std::string json_list(const std::vector<index_t>& numbers);
[[nodiscard]] std::string json_list(
    const std::vector<double>& numbers);  // with enough digits to round-trip a `real`
[[nodiscard]] std::string json_list(const std::vector<std::string>& texts);

// How deep lists and objects of a JSON text are inside one another. Programs that copy or walk a value call
// themselves for each level, so that a file of only brackets would exhaust the stack: readers refuse depths
// above `max_json_depth`.
constexpr int max_json_depth = 64;
int json_depth(std::string_view json);

}  // namespace glassbox
