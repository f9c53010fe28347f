#pragma once
#include <fmt/core.h>

#include <iosfwd>
#include <string>
#include <utility>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// |actual − expected| ≤ absolute + relative · |expected|. The defaults leave room for a few ops in a row,
// forwards and backwards, each of which rounds by 6e-8 of its numbers in a float, 1.1e-16 in a double. A NaN
// is close to nothing unless some are expected; then both sides must have them in the same places.
struct Tolerance {
    double absolute = sizeof(real) == sizeof(float) ? 1e-5 : 1e-12;
    double relative = sizeof(real) == sizeof(float) ? 1e-5 : 1e-12;
    bool nan_expected = false;

    constexpr Tolerance with_nan() const { return {absolute, relative, true}; }
};

// Whether what was compared agrees, and a line that says how well, or where it does not:
//     if (const Agreement found = all_close(a, b); !found) fmt::print("{}\n", found.str());
//     CHECK(all_close(a, b));      // Catch2 and GoogleTest print the line, too
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

// Element by element, of tensors of one shape: "y[1, 0]: 3, expected 3.5 (difference -0.5; 2 of 4 elements
// differ, by up to 1)". `name` is what the line calls the actual one. They may be on different devices.
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
