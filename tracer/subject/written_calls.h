#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace glassbox::tracer {

// Where the bracket at `open` is closed; npos if it is not.
std::size_t closing_parenthesis(std::string_view text, std::size_t open);

// A call in printed text, np.sqrt(np.array([0.5])): one not known to return exactly the numbers within it is
// not an array.
struct WrittenCall {
    std::string_view name;    // np.sqrt
    std::string_view inside;  // np.array([0.5])
};

// Whether it only makes an array, or a number, of its contents: np.array, tensor, c.
bool is_constructor(std::string_view name);
bool is_rounding(std::string_view name);  // np.round

// The question to ask about the call of another function around numbers; "" if it contains no numbers, as in
// attention(Q, K, V). `is_among_numbers`: it is an element of an array, so that whole numbers in it are not
// labels, as in head(0).
std::string question_about_call(const WrittenCall& call, bool is_among_numbers);

// The length of the decimals that a rounding's call names after its numbers: ", 4" and ", decimals=4" of
// np.round(x, 4), up to its end. 0 without any.
std::size_t length_of_decimals(const WrittenCall& call);

}  // namespace glassbox::tracer
