#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include <glassbox/ops/detail/derivative.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox::differences {

// A scalar, computed again with other numbers in place of x; and which way its kinks went, where that is
// known.
struct Outcome {
    double value;
    std::optional<std::size_t> branches{};
};
using Again = std::function<Outcome(const Tensor&)>;

// The scalar as a function of one number of x. Holds references to both.
class Moved {
  public:
    Moved(const Tensor& x, const Again& scalar) : x_(x), values_(x.values()), scalar_(scalar) {}

    // ∂scalar/∂x at the `at`-th number in row-major order, from the scalar's values alone. `noise` is
    // noise_of() the scalar.
    Derivative derivative(std::size_t at, double noise) const;

  private:
    Slopes slopes(std::size_t at, double h) const;
    Outcome slope(std::size_t at, double h) const;

    const Tensor& x_;
    std::vector<real> values_;
    const Again& scalar_;
    mutable std::optional<Outcome> unmoved_;
};

// The standard deviation of the rounding errors in the scalar, measured where all numbers of `x` are moved by
// next to nothing, some up and some down; those for which `seen` has a 0 are not. `least` is what it has at
// any rate: its own last digit.
double noise_of(const Tensor& x, const std::vector<real>& seen, double least, const Again& scalar);

// The same of Σ w ∘ f(tensors), added in double so that f is the only thing that rounds: its slopes at these
// places of tensors[which].
using Function = std::function<Tensor(const std::vector<Tensor>&)>;
std::vector<Derivative> derivatives(const Function& f, const std::vector<Tensor>& tensors, std::size_t which,
                                    const Tensor& weights, const std::vector<index_t>& places);

// The tape rounds too: some ten times on the way back, numbers as large as the gradient's largest; and where
// terms cancel, numbers that may be as large as the largest of all gradients.
double tape_error(double largest, double largest_of_all);

// A gradient so many times smaller than the largest of all is one that may as well be 0 (that of the keys'
// biases is): its difference is told as a share of this instead of its own rounding.
inline constexpr double counts_as_nothing = 1e-3;

// Finite differences that leave more than this of the scale open say too little about a number.
inline constexpr double coarse = 1e-2;

}  // namespace glassbox::differences
