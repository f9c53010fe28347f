#pragma once
#include <functional>
#include <vector>

#include <glassbox/ops/all_close.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

struct GradientCheckOptions {
    index_t numbers = 100;  // of each tensor that are moved, spread evenly: each costs some ten calls of f
};

// Whether the tape's gradients are what f does when its numbers are moved:
//     CHECK(check_gradients([&] { return norm(x); }, {&x, &norm.weight}));
// f may return any shape: compared are the gradients of Σ w ∘ f with weights w that are always the same. The
// steps are chosen by themselves, from the rounding that f is seen to have, and each difference comes with
// its own error: nothing is asked but that f is the same function at every call. At a kink (relu at 0) the
// tape's slope may lie anywhere between those of both sides.
//
// The line says which tensor, where, and both numbers: "tensor 1 [0, 2]: the tape has 0.5, finite differences
// 1.5 ± 1e-05 (3 of 6 numbers differ)"; or that f does not use a tensor, has another value at the second
// call, or cannot be judged. While it runs no other Trace or Tape listens.
Agreement check_gradients(const std::function<Tensor()>& f, const std::vector<Tensor*>& tensors,
                          const GradientCheckOptions& options = {});

// The same for an f that is given the tensors.
Agreement check_gradients(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                          const std::vector<Tensor>& tensors, const GradientCheckOptions& options = {});
Agreement check_gradients(const std::function<Tensor(const Tensor&)>& f, const Tensor& x,
                          const GradientCheckOptions& options = {});

}  // namespace glassbox
