#pragma once
#include <vector>

#include <glassbox/backend/backend.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// total = Σ blocks, all of equal size, added in list order: bitwise reproducible for any number of threads.
// With `onto` the contents of `total` are the first summand.
void add_in_order(const std::vector<Tensor>& blocks, Tensor& total, bool onto);

// ‖x‖ = √(Σ x²), summed in double, in an order that does not depend on the number of threads.
double norm(const Tensor& block);

}  // namespace glassbox
