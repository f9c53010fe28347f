#include <glassbox/mistakes/detail/evidence.h>

#include <algorithm>
#include <cmath>

namespace glassbox::detail {

namespace {

// Whether zeros would agree with a quarter of the numbers or more only because these were rounded so far.
// Numbers rounded the same way count together: among several, one is larger.
bool zeros_pass(const std::vector<real>& right, const std::vector<double>& tolerance,
                const std::vector<double>& half_width) {
    struct Alike {
        std::size_t count = 0;
        bool all_pass = true, by_rounding = false;
    };
    std::map<double, Alike> alike;
    for (std::size_t i = 0; i < right.size(); ++i) {
        const double size = std::abs(static_cast<double>(right[i]));
        if (size > 1e7) continue;  // the score of a hidden key
        Alike& all = alike[half_width[i]];
        ++all.count;
        all.all_pass = all.all_pass && size <= tolerance[i] + half_width[i];
        all.by_rounding = all.by_rounding || size > tolerance[i];
    }
    std::size_t passing = 0;
    for (const auto& [width, all] : alike) passing += all.all_pass && all.by_rounding ? all.count : 0;
    return passing > 0 && 4 * passing >= right.size();
}

}  // namespace

bool has_one_decimal(const Tensor& right, const std::vector<double>& tolerance, const Rearranged& given) {
    constexpr double one_decimal = 0.05, min_steps = 50;
    double largest = 0, finest = INFINITY;
    for (const double width : given.half_width)
        if (width > 0) finest = std::min(finest, width);
    if (std::isinf(finest) || finest < 0.99 * one_decimal) return false;
    for (const real x : right.values())
        if (std::isfinite(x) && std::abs(x) < 1e7)  // not the score of a hidden key
            largest = std::max(largest, std::abs(static_cast<double>(x)));
    return largest < min_steps * finest && !compare(given.value, right, tolerance).agrees;
}

std::string hidden_by_rounding(const Work& work, const Submitted& submitted,
                               const std::vector<double>& tolerance) {
    const Tensor& right = submitted.step->made;
    const bool is_rounded = !submitted.reading.half_width.empty();
    // After submitted steps, these show the work done.
    const bool is_coarse =
        submitted.precision.unit > library_precision().unit && !work.has_earlier(submitted);
    const std::vector<double> exact =
        is_coarse ? work.right_tolerance(*submitted.step, library_precision()) : tolerance;
    const auto passes_by_rounding = [&](const Tensor& other) {
        return compare(other, right, tolerance, submitted.reading.half_width).agrees &&
               !compare(other, right, exact).agrees;
    };
    if (submitted.step->is_input || (!is_rounded && !is_coarse)) return "";
    if (is_rounded && zeros_pass(right.values(), tolerance, submitted.reading.half_width)) return "zeros";
    for (const RightPass::Step& step : work.right().steps())
        if (step.is_input && step.made.shape() == right.shape() && passes_by_rounding(step.made))
            return step.path + ", an input,";
    return "";
}

}  // namespace glassbox::detail
