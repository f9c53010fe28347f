#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <glassbox/mistakes/detail/search.h>
#include <glassbox/mistakes/detail/tolerance.h>
#include <glassbox/mistakes/layout.h>

namespace glassbox::detail {

// The user's numbers for one step, in our order of axes.
struct Submitted {
    const RightPass::Step* step;
    const SubmittedStep* as_given;
    Rearranged reading;
    Precision precision;
    bool fits;         // it can be read so
    int decimals = 0;  // that the numbers were rounded to, if not stated
};

// Everything submitted for a computation, beside the right pass.
class Work {
  public:
    // Throws Error for a step that the computation does not have, naming those that it has.
    Work(const Computation& computation, const std::vector<SubmittedStep>& submitted);

    const Computation& computation() const { return computation_; }
    const RightPass& right() const { return right_; }
    const std::vector<Submitted>& submitted() const { return submitted_; }
    const Submitted* find(const std::string& path) const;
    const StepValues& given() const { return given_; }
    // Each step as it follows from the given ones before it.
    StepValues following() const;

    bool has_work() const;  // not only inputs
    bool has_earlier(const Submitted& submitted) const;
    WrongStep wrong_step(const Submitted& submitted) const;
    // Whether these mistakes give the submitted step at `path`, from the other steps.
    bool reproduces(const std::string& path, const std::vector<PlacedMistake>& mistakes) const;
    // The steps that this one is computed from, without the inputs.
    std::set<std::string> steps_before(const std::string& path) const;
    // Whether one of the mistakes is made, after the submitted steps, in a step that leads to both.
    bool share_site(const std::string& a, const std::string& b,
                    const std::vector<PlacedMistake>& mistakes) const;

    // What rounding may move: from the right step before it, and from the given ones.
    std::vector<double> right_tolerance(const RightPass::Step& step, const Precision& precision) const;
    std::vector<double> own_tolerance(const Submitted& submitted, const Tensor& made) const;

  private:
    void add(const SubmittedStep& each);
    Rearranged best(const std::vector<Rearranged>& readings, const RightPass::Step& step,
                    const Precision& precision) const;

    const Computation& computation_;
    RightPass right_;
    std::vector<std::unique_ptr<SubmittedStep>> own_;  // what was submitted, and how it was rounded
    std::vector<Submitted> submitted_;
    StepValues given_;
    HalfWidths half_widths_;
    mutable std::map<std::string, std::unique_ptr<Tolerances>> tolerances_;  // by precision
};

// Numbers as they are compared with the right ones: the score of a hidden key may be chosen freely.
Tensor comparable(const RightPass::Step& step, const Tensor& given);
// Its numbers in the submitted shape, if that differs only by axes of 1: so the user counts its places.
Tensor as_counted(const Submitted& submitted, const Tensor& given);

}  // namespace glassbox::detail
