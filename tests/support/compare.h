#pragma once
#include <string>

#include <glassbox/tensor/tensor.h>

#include "support/tolerance.h"

namespace glassbox_test {

// Empty when the two agree; else one line with the path, the first index that differs, both values, and how
// many elements differ. The tensors may be on different devices.
std::string find_difference(const glassbox::Tensor& actual, const glassbox::Tensor& expected,
                            const Tolerance& tolerance, const std::string& path);

// The same as an assertion of the running test, which goes on afterwards.
void check_close(const glassbox::Tensor& actual, const glassbox::Tensor& expected, const Tolerance& tolerance,
                 const std::string& path);

}  // namespace glassbox_test
