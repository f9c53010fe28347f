#pragma once
#include "check.h"

namespace lesson {

// A check by formulas of its own, for steps that the library does not name.
class OwnCheck : public Check {
  public:
    // The right value of a step, computed from the inputs and the student's own earlier steps.
    virtual Tensor redo(const std::string& step, const Tensors& own) const = 0;
    // The reason why a step is wrong, as the hints name it: "no-root"; "" when it is none of the mistakes
    // that are known. `own` holds the inputs and all steps that the student has.
    virtual std::string diagnose(const std::string& step, const Tensors& own) const = 0;
    // A step as it is to be compared: what may be chosen freely is replaced by the choice of golden.npz.
    virtual Tensor comparable(const std::string& /*step*/, const Tensor& value,
                              const Tensors& /*golden*/) const {
        return value;
    }

    glassbox::Computation computation(const Tensors&) const override { return {}; }
    std::vector<Outcome> judge(const Lesson& lesson, const std::vector<CaseWork>& works) const override;
};

}  // namespace lesson
