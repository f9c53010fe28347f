#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cases.h"

namespace lesson {

// What is known about a wrong step.
struct Known {
    StepDiagnosis diagnosis;
    std::string where;  // "example, sizes": the cases that confirm it; empty: all
};

// Why steps are wrong. The mistakes are searched for in one case; the others confirm them.
class Reasons {
  public:
    Reasons(const Check& check, Cases& cases) : check_(check), cases_(cases) {}

    // Searches this case for the mistakes of its wrong steps.
    void search(Judged& judged) const;
    // The mistakes that every case confirms: those of this case, or of another, where each may differ from
    // what looks alike in this one. Else those of this case alone, such as one possible only where shapes
    // fit.
    Known explained(const std::string& name, const Judged& judged) const;
    // What a model writes by itself follows from no submitted step: it is judged by the mistake.
    void let_follow(const std::string& first, const Known& known, Judged& judged) const;
    // Whether what comes out of the blocks is right in every case with the norms before the sublayers.
    bool are_pre_norm() const;

  private:
    bool is_pre_norm(const Judged& judged) const;
    // With the mistakes of its wrong steps.
    Judged again(const Judged& judged) const;
    std::vector<glassbox::Explanation> confirmed_of(const StepDiagnosis& diagnosis, const std::string& name,
                                                    const Judged& judged) const;
    // Those that explain most of the cases that are wrong there.
    Known made_somewhere(Known known, const std::string& name, const Judged& judged) const;
    // A mistake gives the numbers of every case; where several are alike in one case, another may distinguish
    // them.
    std::optional<glassbox::Explanation> confirmed_by_all(glassbox::Explanation explanation,
                                                          const Judged& found, const std::string& name,
                                                          const std::string& at) const;
    // A mistake gives the numbers of every case.
    bool explains_all(const glassbox::Explanation& explanation, const Judged& found, const std::string& name,
                      const std::string& found_at) const;
    // And of every row where it was found in one. A case with NaN, if the one in which it was found has none,
    // is also wrong otherwise and shows nothing.
    bool explains(const glassbox::Explanation& explanation, const Judged& other, const Judged& found,
                  const std::string& name, const std::string& found_at) const;

    const Check& check_;
    Cases& cases_;
};

}  // namespace lesson
