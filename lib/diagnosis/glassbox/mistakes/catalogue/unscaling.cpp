#include <cmath>

#include <glassbox/mistakes/catalogue/series_places.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::scaling;

namespace {

// x deviation + mean
Tensor small(const Frame& f) { return input_of(f, input(f, 0), 0); }
Tensor deviation_in(const Frame& f) { return input_of(f, input(f, 0), 1); }
Tensor mean_added(const Frame& f) { return input(f, 1); }
// With mean and deviation of these values.
Tensor unscaled_by(const Frame& f, const Tensor& x) {
    if (!x.defined()) return not_here;
    const ColumnScaling other(x);
    const auto row = [&](const std::vector<double>& numbers) {
        return Tensor({x.size(-1)}, std::vector<real>(numbers.begin(), numbers.end()), x.device());
    };
    return small(f) * row(other.deviation) + row(other.mean);
}
Tensor truncated(const Tensor& x) {
    std::vector<real> numbers = x.values();
    for (real& each : numbers) each = std::trunc(each);
    return Tensor(x.shape(), numbers, x.device());
}

}  // namespace

// unscaled = x deviation + mean
std::vector<Mistake> unscaling() {
    return {
        {step::unscaled, "not-unscaled", "x",
         "The values are still scaled: the forecast is in standard deviations.",
         [](const Frame& f, const Tensor&) { return small(f); }},
        {step::unscaled, "order", "(x + mean) deviation",
         "The mean is added first and so multiplied too; the inverse runs in reverse order.",
         [](const Frame& f, const Tensor&) { return (small(f) + mean_added(f)) * deviation_in(f); }},
        {step::unscaled, "no-mean", "x deviation", "The mean is missing.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {step::unscaled, "no-deviation", "x + mean", "The mean is added, but nothing is multiplied.",
         [](const Frame& f, const Tensor&) { return small(f) + mean_added(f); }},
        {step::unscaled, "scaled-again", "(x − mean) / deviation", "The values are scaled a second time.",
         [](const Frame& f, const Tensor&) { return (small(f) - mean_added(f)) / deviation_in(f); }},
        {step::unscaled, "divided", "x / deviation + mean",
         "Divided by the deviation; the inverse should multiply.",
         [](const Frame& f, const Tensor&) { return small(f) / deviation_in(f) + mean_added(f); }},
        {step::unscaled, "mean-subtracted", "x deviation − mean",
         "The mean is subtracted; the inverse should add it.",
         [](const Frame& f, const Tensor&) { return input(f, 0) - mean_added(f); }},
        {step::unscaled, "exchanged", "x mean + deviation", "Mean and deviation are swapped.",
         [](const Frame& f, const Tensor&) { return small(f) * mean_added(f) + deviation_in(f); }},
        Mistake{step::unscaled, "test-scale", "with the mean and deviation of what comes after",
                "A leak: unscaled with the mean and deviation of the values after the training part.",
                [](const Frame& f, const Tensor&) {
                    const Tensor part = learned_from(f), whole = part.defined() ? whole_of(f, part) : part;
                    return unscaled_by(f, whole.defined() ? rows_from(whole, part.size(0)) : whole);
                }}
            .in_class("a scale that knows the test"),
        Mistake{step::unscaled, "scale-of-all", "with mean and deviation of the whole series",
                "A leak: unscaled with the mean and deviation of the whole series.",
                [](const Frame& f, const Tensor&) {
                    const Tensor part = learned_from(f);
                    return unscaled_by(f, part.defined() ? whole_of(f, part) : part);
                }}
            .in_class("a scale that knows the test"),
        {step::unscaled, "whole-numbers", "x ⌊deviation⌋ + ⌊mean⌋",
         "Mean and deviation are truncated to integers.",
         [](const Frame& f, const Tensor&) {
             return small(f) * truncated(deviation_in(f)) + truncated(mean_added(f));
         }},
    };
}

}  // namespace glassbox::catalogue
