#pragma once
#include <fmt/core.h>

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// |actual − expected| ≤ absolute + relative · |expected|. The defaults allow for a few consecutive ops,
// forward and backward, each with a relative rounding error of 6e-8 in float, 1.1e-16 in double. NaN is never
// close, unless nan_expected is set: then both sides must be NaN in the same places.
struct Tolerance {
    double absolute = sizeof(real) == sizeof(float) ? 1e-5 : 1e-12;
    double relative = sizeof(real) == sizeof(float) ? 1e-5 : 1e-12;
    bool nan_expected = false;

    constexpr Tolerance with_nan() const { return {absolute, relative, true}; }
};

// The result of a comparison, and a line of text: how closely the two agree, or where they differ.
//     if (const Agreement found = all_close(a, b); !found) fmt::print("{}\n", found.str());
//     CHECK(all_close(a, b));      // Catch2 and GoogleTest print the line as well
class [[nodiscard]] Agreement {
  public:
    Agreement(bool agrees, std::string text) : agrees_(agrees), text_(std::move(text)) {}
    explicit operator bool() const { return agrees_; }
    const std::string& str() const { return text_; }
    friend std::ostream& operator<<(std::ostream& out, const Agreement& found);

  private:
    bool agrees_;
    std::string text_;
};

// Compares tensors of equal shape element by element: "y[1, 0]: 3, expected 3.5 (difference -0.5; 2 of 4
// elements differ, by up to 1)". `name` is `actual`'s name in that line. The devices may differ.
Agreement all_close(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance = {},
                    const std::string& name = "actual");

}  // namespace glassbox

template <>
struct fmt::formatter<glassbox::Agreement> : fmt::formatter<std::string> {
    template <class Context>
    auto format(const glassbox::Agreement& found, Context& context) const {
        return fmt::formatter<std::string>::format(found.str(), context);
    }
};

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
// differences 1.5 ± 1e-05 (3 of 6 numbers differ)"; or reports that f does not use a tensor, returns another
// value on its second call, or cannot be judged. No outer Trace or Tape records these calls of f.
Agreement check_gradients(const std::function<Tensor()>& f, const std::vector<Tensor*>& tensors,
                          const GradientCheckOptions& options = {});

// The same for an f that takes the tensors as its argument.
Agreement check_gradients(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                          const std::vector<Tensor>& tensors, const GradientCheckOptions& options = {});
Agreement check_gradients(const std::function<Tensor(const Tensor&)>& f, const Tensor& x,
                          const GradientCheckOptions& options = {});

}  // namespace glassbox

namespace glassbox::numerics {

// f'(x) from values of f, with an error bound.
struct Derivative {
    double value;     // NaN where f is not finite next to x, however small h is
    double error;     // value ± error: rounding and truncation
    double jump = 0;  // at a kink: bound on the difference of the two slopes, value ± jump / 2; else 0
    double bend = 0;  // |f''(x)|, roughly; 0 at a kink
};

// The slopes of f from x − h to x and from x to x + h.
struct Slopes {
    double left, right;
    bool is_smooth;  // no kink is known between x − h and x + h
};

// Halves `h` until the smaller truncation error is outweighed by rounding. `noise` is the standard deviation
// of the rounding errors in f.
Derivative derivative(const std::function<Slopes(double h)>& slopes, double h, double noise);

// A scalar recomputed with other values for x; `branches` is a hash of the side taken at each kink, if known.
struct Recomputed {
    double value;
    std::optional<std::size_t> branches{};
};
using Recompute = std::function<Recomputed(const Tensor&)>;

// The scalar as a function of a single element of x. Holds references to both.
class ElementFunction {
  public:
    ElementFunction(const Tensor& x, const Recompute& scalar) : x_(x), values_(x.values()), scalar_(scalar) {}

    // ∂scalar/∂x at flat index `at`, row-major, by finite differences. `noise` is noise_of() the scalar.
    Derivative derivative(std::size_t at, double noise) const;
    // The same noise if only this element moves: NaN if too few values of the scalar differ.
    double noise(std::size_t at) const;

  private:
    Slopes slopes(std::size_t at, double h) const;
    Recomputed slope(std::size_t at, double h) const;

    const Tensor& x_;
    std::vector<real> values_;
    const Recompute& scalar_;
    mutable std::optional<Recomputed> unmoved_;
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
// than this many of their last digits; 0: which depend on it.
std::vector<bool> changed_by(const Function& f, const std::vector<Tensor>& tensors, std::size_t which,
                             std::size_t at, const Tensor& y, int digits);

// How large a slope of Σ w ∘ y is lost where such a step of x changes these numbers by this many last digits.
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

// The standard deviation of the rounding errors in f, estimated from f(t), f(t + δ), f(t + 2δ), … with δ so
// small that f itself is linear there. With rounding_noise_values of them the estimate is within a factor of
// 2 or 3.
double rounding_noise(std::vector<double> values);

constexpr int rounding_noise_values = 17;

}  // namespace glassbox::numerics
