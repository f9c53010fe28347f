#pragma once
#include <vector>

namespace glassbox::differences {

// The standard deviation of the rounding errors in f, estimated from f(t), f(t + δ), f(t + 2δ), … with δ so
// small that f itself is linear there. With rounding_noise_values of them the estimate is within a factor of
// 2 or 3.
double rounding_noise(std::vector<double> values);

constexpr int rounding_noise_values = 17;

}  // namespace glassbox::differences
