#pragma once
#include <functional>
#include <vector>

#include <glassbox/ops/all_close.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

struct GradientCheckOptions {
    index_t numbers = 100;  // tested per tensor, spread evenly; each takes about ten calls of f
};

// Compares the tape's gradients with finite differences of f:
//     CHECK(check_gradients([&] { return norm(x); }, {&x, &norm.weight}));
// f may return any shape: the gradients compared are those of Σ w ∘ f with fixed weights w. Step sizes are
// chosen automatically from the measured rounding noise of f, and each difference comes with an error bound.
// f must be deterministic. At a kink (relu at 0) the tape's slope may be anywhere between the slopes on both
// sides. Near a border of f's domain (log, 1/x) steps are halved until they stay within. The result is true
// only if every tested number was judged: one where f rounds too much, or is NaN however near, is named.
//
// The line names the tensor, the index and both values: "tensor 1 [0, 2]: the tape has 0.5, finite
// differences 1.5 ± 1e-05 (3 of 6 numbers differ)"; or it says that f does not use a tensor, returns another
// value on its second call, or cannot be judged. No outer Trace or Tape records these calls of f.
Agreement check_gradients(const std::function<Tensor()>& f, const std::vector<Tensor*>& tensors,
                          const GradientCheckOptions& options = {});

// The same for an f that takes the tensors as its argument.
Agreement check_gradients(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                          const std::vector<Tensor>& tensors, const GradientCheckOptions& options = {});
Agreement check_gradients(const std::function<Tensor(const Tensor&)>& f, const Tensor& x,
                          const GradientCheckOptions& options = {});

}  // namespace glassbox
