#include <algorithm>

#include <glassbox/mistakes/detail/explainers/explainer.h>
#include <glassbox/mistakes/detail/no_work.h>
#include <glassbox/tensor/format.h>

namespace glassbox::detail {

namespace {

bool follows_from(const RightPass& right, const RightPass::Step& step, const RightPass::Step& earlier) {
    if (&step < &earlier) return false;
    const std::vector<std::size_t> before = right.leading_to(step.path, {});
    const auto place = static_cast<std::size_t>(&earlier - right.steps().data());
    return std::find(before.begin(), before.end(), place) != before.end();
}

}  // namespace

// "Its numbers are those of residual1". A step that follows from this one and passes its numbers on has them
// in any case: for such steps only right numbers are evidence.
Candidates other_step(const Unexplained& step) {
    const Submitted& submitted = step.submitted;
    if (!submitted.fits) return {};
    const RightPass& right = step.work.right();
    const Tensor given = comparable(*submitted.step, submitted.reading.value);
    const StepValues all = step.work.following();
    for (const RightPass::Step& each : right.steps()) {
        const auto found = all.find(each.path);
        if (found == all.end() || &each == submitted.step || found->second.shape() != given.shape()) continue;
        const Submitted* other = step.work.find(each.path);
        // One array may be a step in several places.
        const bool is_same_work = other && each.info == submitted.step->info;
        const Tensor& value = is_same_work || follows_from(right, each, *submitted.step) ? each.made
                              : other && other->fits ? other->reading.value
                                                     : found->second;
        if (are_those(given, value, submitted.reading.half_width))
            return {{}, fmt::format("its numbers are those of {}, which do not belong here", each.path)};
    }
    return {};
}

}  // namespace glassbox::detail
