#pragma once
#include <string>

#include <glassbox/tensor/tensor.h>

#include "support/tolerance.h"

namespace glassbox_test {

// Empty when the two agree; else the message of all_close().
std::string find_difference(const glassbox::Tensor& actual, const glassbox::Tensor& expected,
                            const Tolerance& tolerance, const std::string& path);

// The same as a CHECK of the running test.
void check_close(const glassbox::Tensor& actual, const glassbox::Tensor& expected, const Tolerance& tolerance,
                 const std::string& path);

}  // namespace glassbox_test
