#pragma once
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <glassbox/io/numpy.h>
#include <glassbox/tensor/tensor.h>

#include "support/catch.h"

namespace glassbox_test {

// Numbers drawn by a real framework (tests/golden/make_random.py).
class Golden {
  public:
    explicit Golden(const std::string& file) : npz_(std::string(GLASSBOX_GOLDEN) + "/" + file) {}

    // float32 arrays and small integers, as type T.
    template <class T>
    std::vector<T> values(const std::string& key) const {
        std::vector<T> out;
        for (const glassbox::real x : npz_.read(key).values()) out.push_back(static_cast<T>(x));
        return out;
    }
    // Arrays stored as 16-bit pieces along a last axis, since float32 would round them.
    template <class T>
    std::vector<T> from_digits(const std::string& key) const {
        constexpr std::size_t pieces = sizeof(T) / 2;
        const std::vector<std::uint16_t> digits = values<std::uint16_t>("digits/" + key);
        std::vector<T> out(digits.size() / pieces);
        std::memcpy(out.data(), digits.data(), digits.size() * 2);
        return out;
    }

  private:
    glassbox::Npz npz_;
};

inline const std::array<std::uint64_t, 4> golden_seeds = {0, 1, 42, (std::uint64_t{1} << 32) + 7};
inline const std::array<std::size_t, 8> golden_sizes = {1, 2, 5, 15, 16, 17, 33, 100};

// |actual − expected| ≤ relative · max(1, |expected|) for every element; equal where relative is 0.
template <class T>
void check_same(const std::vector<T>& actual, const std::vector<T>& expected, const std::string& what,
                double relative = 0) {
    INFO(what);
    REQUIRE(!expected.empty());
    REQUIRE(actual.size() == expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        if (actual[i] == expected[i]) continue;
        const double error = std::fabs(static_cast<double>(actual[i]) - static_cast<double>(expected[i]));
        const double allowed = relative * std::max(1.0, std::fabs(static_cast<double>(expected[i])));
        if (relative > 0 && error <= allowed) continue;
        FAIL_CHECK(fmt::format("[{}]: {:.17g}, expected {:.17g}", i, static_cast<double>(actual[i]),
                               static_cast<double>(expected[i])));
        return;
    }
}

// The n numbers of type T written by `fill`.
template <class T, class Fill>
std::vector<T> drawn(std::size_t n, const Fill& fill) {
    std::vector<T> values(n);
    fill(std::span<T>(values));
    return values;
}

inline std::vector<float> floats(const glassbox::Tensor& x) {
    const std::vector<glassbox::real> values = x.values();
    return {values.begin(), values.end()};
}

// One unit in the last place: the system's sine, logarithm and error function may differ there from those of
// the framework's build.
inline constexpr double last_digit = 2e-7;

}  // namespace glassbox_test
