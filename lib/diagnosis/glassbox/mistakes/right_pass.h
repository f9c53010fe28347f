#pragma once
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <glassbox/mistakes/computation.h>
#include <glassbox/mistakes/mistake_scope.h>
#include <glassbox/observe/trace.h>

namespace glassbox {

// The computation without mistakes, and where mistakes can be made in it.
class RightPass {
  public:
    explicit RightPass(const Computation& computation);

    struct Step {
        std::string path;
        const StepInfo* info;  // declared steps only
        Tensor made;
        const Operation* operation;  // null for an input, and for a second name of another step's tensor
        bool is_input;               // an input, not the user's own work, whatever its name
        bool can_have(const Mistake& mistake) const;  // whether one of its lines belongs here
    };
    const std::vector<Step>& steps() const { return steps_; }
    const Step* find(std::string_view path) const;  // null without one
    // An input of steps that is not itself a step: the x of a block whose norm comes first.
    std::vector<Tensor> unnamed_inputs() const;
    // Whether it can be made in any of the steps.
    bool has_place_for(const Mistake& mistake) const;
    // The steps that the one at `path` is computed from, itself included, up to those that are given.
    std::vector<std::size_t> leading_to(const std::string& path, const StepValues& given) const;
    // The parts of a step to which mistakes are often confined: each head, batch entry and row, and halves.
    std::vector<StepPart> parts_of(const Step& step) const;
    // The mask of the scores of a `masked` step, in their shape: 0 is hidden.
    static Tensor mask_of(const Step& masked);

  private:
    std::unique_ptr<Trace> trace_;
    std::vector<Step> steps_;
};

}  // namespace glassbox
