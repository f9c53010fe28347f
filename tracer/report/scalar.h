#pragma once
#include <string>

#include "cli/option_value.h"
#include "report/report.h"

namespace glassbox::tracer {

// A number to differentiate: sum(values), mean(values), sumsq(values) or one element, values[0,1].
class Scalar {
  public:
    // Throws UsageError that shows the forms if `text` has another.
    static Scalar parse(const std::string& text);

    // With the full path of its step, which may have been given by its end. Throws UsageError when no step or
    // several match.
    Scalar in(const Trace& trace) const;

    const std::string& text() const { return text_; }
    const std::string& step() const { return step_; }
    // Computed with ops, for a tape. Throws UsageError when the step or place does not exist.
    Tensor of(const Trace& trace) const;
    // Computed in double from the step's values, for finite differences.
    double value(const Trace& trace) const;
    // A lower bound of value()'s noise: rounding of the step's largest element.
    double rounding(const Trace& trace) const;

  private:
    enum class Kind { sum, mean, sumsq, element } kind_ = Kind::sum;
    std::string text_, step_, place_;
};

template <>
struct OptionValue<Scalar> {
    static constexpr const char* value_name = "WHAT";
    static Scalar parse(const Typed& typed) { return Scalar::parse(typed.text); }
    static std::string text(const Scalar& scalar) { return scalar.text(); }
    static Values values(const OptionInfo& about) { return {.words = about.words}; }
};

}  // namespace glassbox::tracer
