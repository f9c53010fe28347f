#include <algorithm>

#include <glassbox/mistakes/detail/explainers/explainer.h>
#include <glassbox/tensor/format.h>

namespace glassbox::detail {

namespace {

// All numbers along one axis.
bool is_list(const Tensor& x) {
    return std::any_of(x.shape().begin(), x.shape().end(), [&](index_t size) { return size == x.numel(); });
}

}  // namespace

// For numbers that do not fit, or fit only as a list.
Candidates other_layout(const Unexplained& step) {
    const Submitted& submitted = step.submitted;
    const SubmittedStep& given = *submitted.as_given;
    if ((submitted.fits && !is_list(given.value)) || given.layout == SubmittedLayout::any) return {};
    SubmittedStep free = given;
    free.layout = SubmittedLayout::any;
    const std::vector<double> tolerance = step.work.right_tolerance(*submitted.step, submitted.precision);
    for (const Rearranged& each : rearrangements(free, submitted.step->made.shape()))
        if (compare(comparable(*submitted.step, each.value), submitted.step->made, tolerance, each.half_width)
                .agrees)
            return evident(
                fmt::format("The numbers would be right {}", each.how.substr(0, each.how.find(':'))));
    return {};
}

}  // namespace glassbox::detail
