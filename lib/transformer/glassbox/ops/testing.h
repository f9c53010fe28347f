#pragma once
#include <fmt/core.h>

#include <functional>
#include <iosfwd>
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
// elements differ, by up to 1)". `name` stands for `actual` in that line. The devices may differ.
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
