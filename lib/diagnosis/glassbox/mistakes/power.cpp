#include <glassbox/mistakes/power.h>

#include <algorithm>
#include <cmath>

#include <glassbox/mistakes/detail/tolerance.h>
#include <glassbox/mistakes/right_pass.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

namespace {

std::vector<double> stated(const StatedTolerance& tolerance, const Tensor& right) {
    std::vector<double> all;
    for (const real x : right.values())
        all.push_back(tolerance.absolute + tolerance.relative * std::abs(static_cast<double>(x)));
    return all;
}

bool changes(const StepValues& made, const RightPass& right) {
    return std::any_of(right.steps().begin(), right.steps().end(), [&](const RightPass::Step& step) {
        const auto found = made.find(step.path);
        if (found == made.end() || found->second.shape() != step.made.shape()) return true;
        const std::vector<double> none(static_cast<std::size_t>(step.made.numel()), 0);
        return !compare(found->second, step.made, none).agrees;
    });
}

struct Compared {
    std::string path;
    Tensor right;
    std::vector<double> tolerance, half_width;
};

// In units of the tolerance; infinite for another shape.
double distance_of(const StepValues& made, const Compared& with) {
    const auto found = made.find(with.path);
    if (found == made.end() || found->second.shape() != with.right.shape()) return INFINITY;
    return compare(found->second, with.right, with.tolerance, with.half_width).misfit;
}

}  // namespace

std::vector<MistakePower> test_power(const Computation& computation, const std::vector<std::string>& steps,
                                     const std::optional<StatedTolerance>& tolerance,
                                     const std::vector<SubmittedStep>& rounded) {
    const RightPass right(computation);
    const Tolerances computed(computation, {}, library_precision());
    std::vector<Compared> compared;
    for (const std::string& path : steps.empty() ? std::vector<std::string>{computation.result} : steps) {
        const RightPass::Step* step = right.find(path);
        if (!step) fail("power: there is no step '{}'", path);
        Compared& with = compared.emplace_back();
        with = {
            path, step->made, tolerance ? stated(*tolerance, step->made) : computed.at(path, step->made), {}};
        for (const SubmittedStep& each : rounded) {
            if (each.step != path) continue;
            if (each.precision)
                with.tolerance = Tolerances(computation, {}, *each.precision).at(path, step->made);
            if (!each.half_width.empty()) with.right = each.value, with.half_width = each.half_width;
        }
    }
    std::vector<MistakePower> all;
    for (const Mistake& mistake : all_mistakes()) {
        if (mistake.kind == MistakeKind::choice || !right.has_place_for(mistake)) continue;
        Pass pass;
        pass.mistakes = {{&mistake}};
        const StepValues made = pass.values(computation);
        if (!changes(made, right)) continue;
        double distance = 0;
        for (const Compared& each : compared) distance = std::max(distance, distance_of(made, each));
        all.push_back({&mistake, distance > 1, distance});
    }
    return all;
}

}  // namespace glassbox
