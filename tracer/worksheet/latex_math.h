#pragma once
#include <string>
#include <string_view>

namespace tracer {

// A formula of a step, or arithmetic with its numbers, in LaTeX's mathematics (without the dollars): "Q Kᵀ /
// √d_k" is Q\,K^{\mathsf{T}}\,/\,\sqrt{d_k}. Words between the symbols stay words. The result is ASCII, and
// sets any text, whatever it says.
std::string latex_math(std::string_view formula);

// Whether a symbol that is not ASCII has a command of mathematics.
bool has_latex_math(char32_t symbol);

}  // namespace tracer
