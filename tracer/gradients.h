#pragma once
#include <functional>
#include <string>

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

// Fills gradient and difference of every step that is shown: ∂scalar/∂step by the tape beside
// [8(s(h) − s(−h)) − (s(2h) − s(−2h))] / 12h, where s(h) runs the computation again with one number of the
// step moved by h. `forward` runs it once, under whatever listens. `visible` (undefined without a mask) is 0
// where a key is hidden: there no difference is taken of a step named masked, and 0 is shown (NaN
// in a row that sees no key).
void add_gradients(Report& report, const Scalar& scalar, const Tensor& visible,
                   const std::function<void()>& forward);

}  // namespace tracer
