#pragma once
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Adds blocks of one size into `total`, in their order, whatever the number of threads: the same bits every
// time. What `total` held counts as the first of them when `onto` is true.
void add_in_order(const std::vector<Tensor>& blocks, Tensor& total, bool onto);

// ‖x‖ = √(Σ x²), added up in double, in pieces whose order does not depend on the number of threads.
double norm(const Tensor& block);

// Keeps the length of a gradient within bounds without turning it (Pascanu et al. 2013, algorithm 1).
struct Clipping {
    double max_norm = 0;  // 0: not at all
    double epsilon = 0;   // torch.nn.utils.clip_grad_norm_ adds 1e-6 to the norm, optax nothing
};

// By how much to multiply a gradient of this norm: max_norm / (norm + ε), at most 1. NaN of a norm of NaN.
double clip_factor(const Clipping& clipping, double norm);

}  // namespace glassbox
