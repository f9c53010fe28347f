#pragma once
#include <string>

#include <glassbox/mistakes/detail/work.h>

// Numbers that show no work.
namespace glassbox::detail {

// "All numbers are 0", or another number, where the right ones are several; else empty. A few whole numbers,
// such as tokens, may be equal by chance.
std::string constant_text(const Submitted& submitted);

// "These are the numbers of V, an input, unchanged"; empty if of none.
std::string input_like(const Work& work, const Submitted& submitted);

// Whether they are neither of these, nor those of an input that is not a step.
bool is_own_work(const Work& work, const Submitted& submitted);

// Whether these are the numbers, each of them: a small one that differs is not hidden by a large one.
bool are_those(const Tensor& given, const Tensor& numbers, const std::vector<double>& half_width);

}  // namespace glassbox::detail
