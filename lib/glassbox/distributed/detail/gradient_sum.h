#pragma once
#include <vector>

#include <glassbox/backend/clipping.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Adds blocks of one size into `total`, in their order, whatever the number of threads: the same bits every
// time. What `total` held counts as the first of them when `onto` is true.
void add_in_order(const std::vector<Tensor>& blocks, Tensor& total, bool onto);

// ‖x‖ = √(Σ x²), added up in double, in an order that does not depend on the number of threads.
double norm(const Tensor& block);

}  // namespace glassbox
