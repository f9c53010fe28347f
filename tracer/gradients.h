#pragma once
#include <functional>
#include <string>

#include <glassbox/layers/parameters.h>

#include "report.h"

namespace tracer {

// A number to differentiate: sum(values), mean(values), sumsq(values) or one element, values[0,1].
class Scalar {
  public:
    // Throws UsageError that shows the forms when `text` is none of them.
    static Scalar parse(const std::string& text);

    const std::string& text() const { return text_; }
    const std::string& step() const { return step_; }
    // As ops, so that a tape can follow. Throws UsageError when the step or place does not exist.
    Tensor of(const glassbox::Trace& trace) const;
    // The same, added up in double from the step's numbers, for finite differences.
    double value(const glassbox::Trace& trace) const;

  private:
    enum class Kind { sum, mean, sumsq, element } kind_ = Kind::sum;
    std::string text_, step_, place_;
};

// Fills gradient and difference of every step that is shown: ∂scalar/∂step by the tape beside finite
// differences (see compare()), where one number of the step is moved and everything behind it computed again;
// and the same of `parameters`, which `forward` must use through these very tensors. `forward` runs the
// computation once, under whatever listens. Steps and parameters share a fixed number of runs, so of large
// ones some numbers are checked. Steps of tokens have no gradient. False when a gradient differs; one that
// cannot be compared (NaN) does not.
bool add_gradients(Report& report, const Scalar& scalar, const std::function<void()>& forward,
                   const glassbox::Parameters& parameters = {});

}  // namespace tracer
