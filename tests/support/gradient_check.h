#pragma once
#include <functional>
#include <string>
#include <vector>

#include <glassbox/tensor/tensor.h>

#include "support/compare.h"

namespace glassbox_test {

using Function = std::function<glassbox::Tensor(const std::vector<glassbox::Tensor>&)>;

// d (Σ weights ∘ f) / d inputs[which], computed as in the library's check_gradients(). On the inputs' device.
glassbox::Tensor finite_differences(const Function& f, const std::vector<glassbox::Tensor>& inputs,
                                    std::size_t which, const glassbox::Tensor& weights);

// The same with the tape, for every input.
std::vector<glassbox::Tensor> tape_gradients(const Function& f, const std::vector<glassbox::Tensor>& inputs,
                                             const glassbox::Tensor& weights);

// Checks that the two agree for every input.
void check_tape_gradients(const Function& f, const std::vector<glassbox::Tensor>& inputs,
                          const glassbox::Tensor& weights, const std::string& path,
                          const Tolerance& tolerance = finite_difference);

}  // namespace glassbox_test
