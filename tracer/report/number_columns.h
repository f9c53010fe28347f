#pragma once
#include <string>
#include <vector>

#include "report/report.h"

namespace glassbox::tracer {

constexpr double too_large = 1e6;  // for a number without an exponent

// How the numbers of one array are written on a terminal: aligned on the point, with `digits` after it. A
// number that was rounded keeps its zeros, 0.5000; one that was not has none, 0.5. Weights are never in
// exponent form: where all are small they have more digits; short ones are written .68.
class NumberColumns {
  public:
    NumberColumns(const std::vector<real>& values, Report::Kind kind, int digits, bool is_short = false);

    int width() const { return width_; }
    std::string text(real value) const;  // in width() columns
    // With fewer digits the largest number would have fewer than two.
    int fewest_digits() const;

  private:
    std::string digits_of(real value) const;

    bool is_short_ = false, is_whole_ = false, is_scientific_ = false;
    int digits_;
    double largest_ = 0;
    int after_ = 0;  // columns from the point on
    int width_ = 0;
};

}  // namespace glassbox::tracer
