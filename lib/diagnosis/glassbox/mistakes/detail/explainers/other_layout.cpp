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
    const Handed& handed = step.handed;
    const HandedIn& given = *handed.as_given;
    if ((handed.fits && !is_list(given.value)) || given.layout == HandedLayout::any) return {};
    HandedIn free = given;
    free.layout = HandedLayout::any;
    const std::vector<double> tolerance = step.work.right_tolerance(*handed.step, handed.precision);
    for (const Rearranged& each : rearrangements(free, handed.step->made.shape()))
        if (compare(comparable(*handed.step, each.value), handed.step->made, tolerance, each.half_width)
                .agrees)
            return evident(
                fmt::format("The numbers would be right {}", each.how.substr(0, each.how.find(':'))));
    return {};
}

}  // namespace glassbox::detail
