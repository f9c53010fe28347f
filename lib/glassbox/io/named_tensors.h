#pragma once
#include <string>
#include <utility>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;  // in the order in which they are written

// Throws Error when a name is empty, comes twice, has a NUL or is not UTF-8: such files could not be read
// back.
void check_names(const char* op, const NamedTensors& tensors);

}  // namespace glassbox
