#pragma once
#include <string>

#include <glassbox/tensor/tensor.h>

#include "support/tolerance.h"

namespace glassbox_test {

// Empty when the two agree; else the line that all_close() says.
std::string find_difference(const glassbox::Tensor& actual, const glassbox::Tensor& expected,
                            const Tolerance& tolerance, const std::string& path);

// The same as an assertion of the running test, which goes on afterwards.
void check_close(const glassbox::Tensor& actual, const glassbox::Tensor& expected, const Tolerance& tolerance,
                 const std::string& path);

}  // namespace glassbox_test
