#pragma once
#include <set>
#include <string>
#include <vector>

#include <glassbox/mistakes/detail/pass.h>
#include <glassbox/mistakes/right_pass.h>

namespace glassbox {

// A step that was handed in, and how its numbers come about: from given steps, with mistakes or without any.
struct Evidence {
    const RightPass::Step* step;
    Precision precision;
    std::vector<double> half_width;
    const StepValues* given = nullptr;
    std::vector<PlacedMistake> mistakes{};
};

// Whether the numbers would have been others if those of these steps had been: changed by up to a half they
// change it by more than rounding may. So a result of zeros shows nothing of what leads to it.
bool shows(const Computation& computation, const Evidence& evidence, const std::set<std::string>& steps);

// Whether a line of the mistake is in this step.
bool is_made_in(const PlacedMistake& placed, const RightPass::Step& step);

}  // namespace glassbox
