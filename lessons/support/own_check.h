#pragma once
#include <functional>
#include <string>
#include <vector>

#include "check.h"
#include "matrices.h"
#include "vector.h"

namespace lesson {

// From the exercises' types back to tensors, for lessons that are checked with the given functions.
Tensor tensor_of(const Matrix& m);
Tensor tensor_of(const Matrices& m);
Tensor tensor_of(const Vector& v);

// A usual mistake: what a step would be if it were made so, as a Matrix, Matrices or a Vector. May throw
// std::out_of_range where the sizes forbid it.
struct Mistake {
    template <class Make>
    Mistake(const char* why, Make make) : reason(why), made([make] { return tensor_of(make()); }) {}

    const char* reason;  // as the hints name it
    std::function<Tensor()> made;
};
// The reason of the first mistake that gives what the student has for this step; "" when none does.
std::string first_that_gives(const Tensor& step, const std::vector<Mistake>& mistakes);

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
    Tensors solved(const Lesson& lesson, const Tensors& golden) const override;
    std::vector<Outcome> judge(const Lesson& lesson, const std::vector<CaseWork>& works) const override;
};

}  // namespace lesson
