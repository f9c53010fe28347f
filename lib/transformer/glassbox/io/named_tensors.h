#pragma once
#include <string>
#include <utility>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;  // in file order

// Throws Error when a name is empty, not unique, not UTF-8 or contains a NUL: such files could not be read
// back.
void check_names(const char* op, const NamedTensors& tensors);

}  // namespace glassbox
