#include <glassbox/mistakes/detail/no_work.h>

#include <algorithm>
#include <cmath>

#include <glassbox/mistakes/detail/evidence.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/real.h>

namespace glassbox::detail {

namespace {

// Whether these are the numbers, in fewer digits. A few may agree by chance, and zeros always do.
bool is_rounded(const SubmittedStep& given, const Tensor& numbers) {
    const std::vector<double> none(static_cast<std::size_t>(numbers.numel()), 0);
    return numbers.numel() >= 4 && !given.half_width.empty() &&
           compare(given.value, numbers, none, given.half_width).agrees &&
           !compare(Tensor::full(numbers.shape(), 0), numbers, none, given.half_width).agrees;
}

bool is_unnamed_input(const Work& work, const Submitted& submitted) {
    const SubmittedStep& given = *submitted.as_given;
    const std::vector<Tensor> inputs = work.right().unnamed_inputs();
    return std::any_of(inputs.begin(), inputs.end(), [&](const Tensor& x) {
        return x.shape() == given.value.shape() && given.value.numel() > 1 &&
               (digits_in_common(given.value, x) >= 5 || is_rounded(given, x));
    });
}

}  // namespace

std::string constant_text(const Submitted& submitted) {
    const std::vector<real> given = submitted.as_given->value.values(), right = submitted.step->made.values();
    const auto is_constant = [](const std::vector<real>& numbers) {
        return std::all_of(numbers.begin(), numbers.end(),
                           [&](real x) { return equal_or_nan(x, numbers.front()); });
    };
    const bool are_whole = std::all_of(right.begin(), right.end(), [](real x) { return x == std::round(x); });
    if (given.size() < 2 || are_whole || !is_constant(given) || is_constant(right)) return "";
    return std::isnan(given.front())
               ? "All numbers are NaN"
               : fmt::format("All numbers are {:.6g}", static_cast<double>(given.front()));
}

bool are_those(const Tensor& given, const Tensor& numbers, const std::vector<double>& half_width) {
    if (digits_in_common(given, numbers) < 5) return false;
    double largest = 0;
    std::vector<double> allowed;
    for (const real x : numbers.values())
        if (const double size = std::abs(static_cast<double>(x)); std::isfinite(size) && size < 1e9)
            largest = std::max(largest, size);
    for (const real x : numbers.values())
        allowed.push_back(1e-6 * largest + 1e-5 * std::abs(static_cast<double>(x)));
    return compare(given, numbers, allowed, half_width).agrees;
}

std::string input_like(const Work& work, const Submitted& submitted) {
    const SubmittedStep& given = *submitted.as_given;
    for (const RightPass::Step& step : work.right().steps())
        if (step.is_input && !submitted.step->is_input && step.made.shape() == given.value.shape() &&
            (are_those(given.value, step.made, given.half_width) || is_rounded(given, step.made)))
            return fmt::format("These are the numbers of {}, an input, unchanged", step.path);
    return "";
}

bool is_own_work(const Work& work, const Submitted& submitted) {
    return constant_text(submitted).empty() && input_like(work, submitted).empty() &&
           !is_unnamed_input(work, submitted);
}

}  // namespace glassbox::detail
