#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include <glassbox/ops/detail/derivative.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox::differences {

// A scalar recomputed with other values for x; `branches` is a hash of the side taken at each kink, if known.
struct Outcome {
    double value;
    std::optional<std::size_t> branches{};
};
using Recompute = std::function<Outcome(const Tensor&)>;

// The scalar as a function of a single element of x. Holds references to both.
class ElementFunction {
  public:
    ElementFunction(const Tensor& x, const Recompute& scalar) : x_(x), values_(x.values()), scalar_(scalar) {}

    // ∂scalar/∂x at flat index `at`, row-major, by finite differences. `noise` is noise_of() the scalar.
    Derivative derivative(std::size_t at, double noise) const;
    // The same noise where this element alone moves: NaN where too few values of the scalar differ.
    double noise(std::size_t at) const;

  private:
    Slopes slopes(std::size_t at, double h) const;
    Outcome slope(std::size_t at, double h) const;

    const Tensor& x_;
    std::vector<real> values_;
    const Recompute& scalar_;
    mutable std::optional<Outcome> unmoved_;
};

// The standard deviation of the rounding errors in the scalar, measured by moving all numbers of `x` a tiny
// amount, some up and some down, except those where `seen` is 0. `min_noise` is a lower bound: the rounding
// of the scalar itself.
double noise_of(const Tensor& x, const std::vector<real>& seen, double min_noise, const Recompute& scalar);

// The derivatives of Σ w ∘ f(tensors) with respect to the elements of tensors[which] at these flat indices.
// The sum is in double, so that only f rounds.
using Function = std::function<Tensor(const std::vector<Tensor>&)>;
std::vector<Derivative> derivatives(const Function& f, const std::vector<Tensor>& tensors, std::size_t which,
                                    const Tensor& weights, const std::vector<index_t>& indices);

// Which numbers of y = f(tensors) a step of this element of tensors[which] on either side changes by more
// than so many of their last digits; 0: which depend on it.
std::vector<bool> changed_by(const Function& f, const std::vector<Tensor>& tensors, std::size_t which,
                             std::size_t at, const Tensor& y, int digits);

// How large a slope of Σ w ∘ y is lost where such a step of x changes these numbers by so many last digits.
double hidden_slope(real x, const Tensor& y, const Tensor& weights, const std::vector<bool>& of_these,
                    int digits);

// The distance from x to the next number, as a power of two.
double last_digit(real x);

// Each tensor with its numbers moved by `count` last digits, some up and some down.
Tensor moved_by_digits(const Tensor& x, int count);

// A bound on the tape's own rounding: some ten roundings of numbers up to this gradient's largest, and, where
// terms cancel, of numbers up to the largest of all gradients.
double tape_error(double largest, double largest_of_all);

// A gradient this much smaller than the largest of all may be 0 apart from rounding (that of the keys' biases
// is): errors are relative to this share of the largest instead.
inline constexpr double negligible_share = 1e-3;

// Finite differences with a larger error than this, relative to the scale, are inconclusive.
inline constexpr double coarse = 1e-2;

}  // namespace glassbox::differences
