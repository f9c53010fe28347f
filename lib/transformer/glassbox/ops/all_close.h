#pragma once
#include <fmt/core.h>

#include <iosfwd>
#include <string>
#include <utility>

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
