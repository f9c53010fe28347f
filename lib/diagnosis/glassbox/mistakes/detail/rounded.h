#pragma once
#include <string>
#include <vector>

#include <glassbox/mistakes/detail/work.h>

// Numbers that agree with the right ones, and were rounded.
namespace glassbox {

// What would agree, too, with numbers that were rounded so far: "zeros", "before, an input,"; else empty.
std::string hidden_by_rounding(const Work& work, const Handed& handed, const std::vector<double>& tolerance);

// Whether small numbers were rounded to one decimal or none, and are right only because of that.
bool has_one_decimal(const Tensor& right, const std::vector<double>& tolerance, const Rearranged& given);

}  // namespace glassbox
