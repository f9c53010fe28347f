#include <glassbox/mistakes/detail/work.h>

#include <algorithm>
#include <cmath>

#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/mistakes/detail/evidence.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox::detail {

namespace {

// Numbers with few digits show nothing where the right ones have as few.
Precision precision_beside(const RightPass::Step& step, const SubmittedStep& given) {
    const Precision found = given.precision ? *given.precision : precision_of(given.value);
    return precision_of(step.made).unit < found.unit ? found : library_precision();
}

// Numbers rounded to decimals count as written with that many.
std::unique_ptr<SubmittedStep> with_decimals(SubmittedStep submitted, int decimals) {
    if (decimals > 0)
        submitted.half_width.assign(static_cast<std::size_t>(submitted.value.numel()),
                                    std::pow(10, -decimals) / 2);
    return std::make_unique<SubmittedStep>(std::move(submitted));
}

// The hidden score may be chosen freely, if its weight is 0 beside that of any visible key. `given`, with the
// right pass's choice in place of such scores.
Tensor with_our_hidden_scores(const RightPass::Step& masked, const Tensor& given) {
    const std::vector<real> mask = RightPass::mask_of(masked).values(), ours = masked.made.values();
    std::vector<real> scores = given.values();
    const std::size_t width = static_cast<std::size_t>(given.size(-1));
    constexpr real low = -40;  // exp(−40) is nothing beside 1
    for (std::size_t row = 0; row < scores.size(); row += width) {
        real largest = -INFINITY;
        for (std::size_t i = row; i < row + width; ++i)
            if (mask[i] != 0 && scores[i] > largest) largest = scores[i];
        if (std::isinf(largest)) largest = 0;  // nothing is visible
        for (std::size_t i = row; i < row + width; ++i)
            if (mask[i] == 0 && scores[i] < largest + low) scores[i] = ours[i];
    }
    return Tensor(given.shape(), scores);
}

}  // namespace

Tensor comparable(const RightPass::Step& step, const Tensor& given) {
    return step.info == &steps::scaled_dot_product::masked ? with_our_hidden_scores(step, given) : given;
}

Work::Work(const Computation& computation, const std::vector<SubmittedStep>& submitted)
    : computation_(computation), right_(computation) {
    for (const SubmittedStep& each : submitted) add(each);
}

void Work::add(const SubmittedStep& each) {
    const std::string& path = each.step.empty() ? computation_.result : each.step;
    const RightPass::Step* step = right_.find(path);
    if (!step) {
        std::vector<std::string> paths;
        for (const RightPass::Step& known : right_.steps()) paths.push_back(known.path);
        fail("check: there is no step '{}'; the steps are: {}", path, fmt::join(paths, ", "));
    }
    const Precision precision = precision_beside(*step, each);
    const bool are_written = each.half_width.empty() && precision.unit <= library_precision().unit;
    int decimals = are_written ? decimals_of(each.value) : 0;
    if (decimals > 0 && decimals_of(step->made) == decimals) decimals = 0;  // they have no more
    const SubmittedStep& own = *own_.emplace_back(with_decimals(each, decimals));
    Submitted submitted{step, &own, {own.value, own.half_width, ""}, precision, false, decimals};
    const std::vector<Rearranged> readings = rearrangements(own, step->made.shape());
    submitted.fits = !readings.empty();
    if (submitted.fits) submitted.reading = best(readings, *step, submitted.precision);
    submitted_.push_back(submitted);
    if (!submitted.fits) return;
    given_[path] = submitted.reading.value.to(step->made.device());
    if (!submitted.reading.half_width.empty()) half_widths_[path] = submitted.reading.half_width;
}

// The one that agrees with the right step, or in half of its numbers and more than the others, else the most
// likely.
Rearranged Work::best(const std::vector<Rearranged>& readings, const RightPass::Step& step,
                      const Precision& precision) const {
    if (readings.size() == 1) return readings.front();
    const std::vector<double> tolerance = right_tolerance(step, precision);
    const Rearranged* best = nullptr;
    std::size_t fewest = 0;
    for (const Rearranged& each : readings) {
        const WithinTolerance found =
            compare(comparable(step, each.value), step.made, tolerance, each.half_width);
        if (found.agrees) return each;
        if (!best || found.count < fewest) best = &each, fewest = found.count;
    }
    return 2 * fewest <= static_cast<std::size_t>(step.made.numel()) ? *best : readings.front();
}

const Submitted* Work::find(const std::string& path) const {
    for (const Submitted& each : submitted_)
        if (each.step->path == path) return &each;
    return nullptr;
}

StepValues Work::following() const { return Pass{&given_, &half_widths_}.values(computation_); }

bool Work::has_work() const {
    return std::any_of(submitted_.begin(), submitted_.end(),
                       [](const Submitted& each) { return !each.step->is_input; });
}

bool Work::has_earlier(const Submitted& submitted) const {
    return std::any_of(submitted_.begin(), submitted_.end(),
                       [&](const Submitted& each) { return each.fits && each.step < submitted.step; });
}

WrongStep Work::wrong_step(const Submitted& submitted) const {
    WrongStep wrong{&computation_,       &right_, submitted.step->path, *submitted.as_given,
                    submitted.precision, given_,  half_widths_};
    wrong.given.erase(submitted.step->path);
    return wrong;
}

bool Work::reproduces(const std::string& path, const std::vector<PlacedMistake>& mistakes) const {
    const Submitted* submitted = find(path);
    return !submitted || Search(wrong_step(*submitted), {}).reproduces(mistakes);
}

bool Work::share_site(const std::string& a, const std::string& b,
                      const std::vector<PlacedMistake>& mistakes) const {
    const auto leading_to = [&](const std::string& path) {
        StepValues others = given_;
        others.erase(path);
        return right_.leading_to(path, others);
    };
    const std::vector<std::size_t> of_a = leading_to(a), of_b = leading_to(b);
    return std::any_of(of_a.begin(), of_a.end(), [&](std::size_t site) {
        return std::find(of_b.begin(), of_b.end(), site) != of_b.end() &&
               std::any_of(mistakes.begin(), mistakes.end(),
                           [&](const PlacedMistake& each) { return is_made_in(each, right_.steps()[site]); });
    });
}

std::set<std::string> Work::steps_before(const std::string& path) const {
    std::set<std::string> paths;
    for (const std::size_t at : right_.leading_to(path, {}))
        if (const RightPass::Step& step = right_.steps()[at]; !step.is_input && step.path != path)
            paths.insert(step.path);
    return paths;
}

std::vector<double> Work::right_tolerance(const RightPass::Step& step, const Precision& precision) const {
    const auto [at, is_new] = tolerances_.try_emplace(precision.name, nullptr);
    if (is_new) at->second = std::make_unique<Tolerances>(computation_, Pass{}, precision);
    return at->second->at(step.path, step.made);
}

std::vector<double> Work::own_tolerance(const Submitted& submitted, const Tensor& made) const {
    const WrongStep own = wrong_step(submitted);
    return Tolerances::at(computation_, {&own.given, &own.half_widths}, submitted.precision,
                          submitted.step->path, made);
}

Tensor as_counted(const Submitted& submitted, const Tensor& given) {
    const Tensor& own = submitted.as_given->value;
    const bool is_same =
        is_same_but_for_ones(own.shape(), given.shape()) && submitted.reading.value.values() == own.values();
    return is_same ? reshape(contiguous(given), own.shape()) : given;
}

}  // namespace glassbox::detail
