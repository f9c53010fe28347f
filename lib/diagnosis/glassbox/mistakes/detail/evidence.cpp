#include <glassbox/mistakes/detail/evidence.h>

#include <algorithm>

#include <glassbox/mistakes/detail/tolerance.h>

namespace glassbox {

bool shows(const Computation& computation, const Evidence& evidence, const std::set<std::string>& steps) {
    const std::string& path = evidence.step->path;
    Pass pass;
    pass.given = evidence.given;
    pass.mistakes = evidence.mistakes;
    const Tensor made = pass.value_at(computation, path);
    if (!made.defined()) return false;
    const std::vector<double> tolerance = Tolerances::at(computation, pass, evidence.precision, path, made);
    pass.nudged = &steps;
    const Tensor other = pass.value_at(computation, path);
    if (!other.defined() || other.shape() != made.shape()) return true;
    return !compare(other, made, tolerance, evidence.half_width).agrees;
}

bool is_made_in(const PlacedMistake& placed, const RightPass::Step& step) {
    return is_within(step.path, placed.place) && step.info &&
           std::any_of(placed.mistake->lines.begin(), placed.mistake->lines.end(),
                       [&](const Mistake::Line& line) { return line.at.is(*step.info, step.operation); });
}

}  // namespace glassbox
