#pragma once
#include <string>
#include <string_view>

namespace glassbox::tracer {

// Any text for LaTeX: nothing in it is a command, and the result is ASCII. Accents are LaTeX's own; a
// character that Knuth's fonts do not have is \uni{4E2D}{[U+4E2D]} (latex_sheet.cpp), which prints it where
// the engine's font has it.
std::string latex_text(std::string_view text);
// The same in the typewriter font, for what is to be typed: straight quotes, no ligatures.
std::string latex_code(std::string_view text);
// A sentence of the library, in which words such as √d_k are mathematics.
std::string latex_sentence(std::string_view text);

// Whether latex_text() of it needs \uni.
bool needs_unicode_fonts(std::string_view text);

// A formula of a step, or arithmetic with its numbers, in LaTeX's mathematics (without the dollars): "Q Kᵀ /
// √d_k" is Q\,K^{\mathsf{T}}\,/\,\sqrt{d_k}. Words between the symbols stay words. The result is ASCII, and
// sets any text, whatever its content.
std::string latex_math(std::string_view formula);

// Whether a symbol that is not ASCII has a command of mathematics.
bool has_latex_math(char32_t symbol);

}  // namespace glassbox::tracer
