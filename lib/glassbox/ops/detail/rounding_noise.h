#pragma once
#include <vector>

namespace glassbox::differences {

// How far rounding throws f about: the standard deviation of its error, from f(t), f(t + δ), f(t + 2δ), …
// with δ so small that f itself is a straight line there. From rounding_noise_values of them it
// is right within a factor of 2 or 3.
double rounding_noise(std::vector<double> values);

constexpr int rounding_noise_values = 17;

}  // namespace glassbox::differences
