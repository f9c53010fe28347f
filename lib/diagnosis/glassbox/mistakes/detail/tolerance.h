#pragma once
#include <vector>

#include <glassbox/mistakes/detail/pass.h>

namespace glassbox::detail {

// How far numbers that are right may lie from ours, for each number of a step: computed, not chosen. The pass
// is repeated with random rounding of every step in the given precision, and the largest deviations seen,
// times a safety factor, are allowed: where scores near 1000 enter a softmax or rows cancel in a norm,
// rounding moves the numbers far, elsewhere hardly at all.
class Tolerances {
  public:
    Tolerances(const Computation& computation, Pass pass, const Precision& precision);

    // For the step at `path`, whose right value is `value`. By element, row-major.
    std::vector<double> at(const std::string& path, const Tensor& value) const;
    // The same for one step only, with nothing computed after it.
    static std::vector<double> at(const Computation& computation, Pass pass, const Precision& precision,
                                  const std::string& path, const Tensor& value);

  private:
    double unit_, smallest_;
    std::vector<StepValues> rounded_;
};

// The result of a comparison within tolerances; NaN equals only NaN.
struct WithinTolerance {
    bool agrees = false;
    double misfit = 0;      // the largest difference, in units of its tolerance
    std::size_t first = 0;  // the first number that differs
    std::size_t count = 0;  // how many differ
};

// Of equal shapes. `half_width` is the rounding of the submitted numbers, or empty.
WithinTolerance compare(const Tensor& given, const Tensor& expected, const std::vector<double>& tolerance,
                        const std::vector<double>& half_width = {});

}  // namespace glassbox::detail
