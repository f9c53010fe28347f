#include <glassbox/mistakes/detail/evidence.h>
#include <glassbox/mistakes/detail/explainers/explainer.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox::detail {

namespace {

// Only one entry of the batch, and right.
std::string right_entry(const Submitted& submitted) {
    const Tensor &given = submitted.as_given->value, &made = submitted.step->made;
    if (made.rank() < 2 || given.shape() != made.shape().without(0)) return "";
    for (index_t i = 0; i < made.size(0); ++i)
        if (digits_in_common(given, select(made, 0, i)) >= 4)
            return fmt::format("it is right, but only entry {} of the first axis; all {} are needed", i,
                               made.size(0));
    return "";
}

}  // namespace

Candidates looks(const Unexplained& step) {
    const Submitted& submitted = step.submitted;
    if (!submitted.fits) return {{}, right_entry(submitted)};
    const WrongStep own = step.work.wrong_step(submitted);
    const Tensor made =
        Pass{&own.given, &own.half_widths}.value_at(step.work.computation(), submitted.step->path);
    const Tensor given = comparable(*submitted.step, submitted.reading.value);
    if (!made.defined() || made.shape() != given.shape()) return {};
    return {{}, looks_like(given, made, step.work.own_tolerance(submitted, made))};
}

}  // namespace glassbox::detail
