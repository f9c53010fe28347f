#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <glassbox/conventions/differences.h>
#include <glassbox/tensor/format.h>

#include "cli/multi_index.h"
#include "cli/number.h"
#include "report/report.h"
#include "subject/show.h"

// `--diff A,B`: two conventions on the same weights and the same input, up to the first step that differs.
namespace tracer {
namespace {

using glassbox::Convention;
using glassbox::fail;
using glassbox::Trace;
using glassbox::UsageError;

// Up to here two ways of rounding are one way of computing.
constexpr double same = sizeof(real) == 4 ? 1e-6 : 1e-12;

struct Run {
    ModelInput input;
    Subject subject;
    std::unique_ptr<Trace> trace = std::make_unique<Trace>();
};

// The model of one convention; its weights are those of `weights` where that has them.
void run(const ModelCommand& command, const ModelTyped& t, const Convention& convention, const Run* weights,
         Run& out) {
    ModelTyped typed = t;
    typed.convention = convention.name;
    out.subject = subject_of(command, typed, convention, out.input);
    if (weights) {
        out.input.arrays = weights->input.arrays;
        for (const auto& mine : out.subject.parameters().entries())
            for (const auto& theirs : weights->subject.parameters().entries())
                if (mine.name == theirs.name && mine.tensor->shape() == theirs.tensor->shape())
                    *mine.tensor = *theirs.tensor;
    }
    out.subject.forward();
}

// How far apart two steps are, and where most; places that are NaN in both agree.
struct Distance {
    double most = 0;
    index_t at = 0;
};

Distance distance(const Tensor& a, const Tensor& b) {
    const std::vector<real> x = a.values(), y = b.values();
    Distance found;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
        const double scale = std::max(1.0, std::abs(static_cast<double>(x[i])));
        double apart = std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])) / scale;
        if (std::isnan(apart)) apart = INFINITY;
        if (apart > found.most) found = {apart, static_cast<index_t>(i)};
    }
    return found;
}

// The choices in which the two differ that show in this step first: a mask that is not passed on leaves a
// step out, a different fill changes its numbers.
std::string reasons(const Convention& a, const Convention& b, const std::string& path,
                    bool is_missing = false) {
    const std::string name = last_part(path);
    std::string text;
    for (const glassbox::Difference& each : differences(a, b))
        if (std::find(each.steps.begin(), each.steps.end(), name) != each.steps.end() &&
            (name != "masked" || each.adds_steps == is_missing))
            text += fmt::format("   {}: {} in {}, {} in {}\n      {}\n", each.choice, each.first, a.name,
                                each.second, b.name, each.why);
    return text.empty() ? "   no single choice of docs/conventions.md begins here\n" : text;
}

std::string first_difference(const Run& a, const Run& b, const Convention& first, const Convention& second) {
    std::string text;
    std::size_t alike = 0;
    for (const Trace::Step& step : a.trace->steps()) {
        const Trace::Step* other = nullptr;
        for (const Trace::Step& each : b.trace->steps())
            if (each.path == step.path) other = &each;
        if (!other)
            return fmt::format("{} steps agree. {} is a step of {} only.\n{}", alike, step.path, first.name,
                               reasons(first, second, step.path, true));
        if (step.value.shape() != other->value.shape())
            return fmt::format(
                "{} steps agree. The first that differs: {}, of shape {} in {} and {} in {}.\n{}", alike,
                step.path, step.value.shape(), first.name, other->value.shape(), second.name,
                reasons(first, second, step.path));
        const Distance apart = distance(step.value, other->value);
        if (apart.most > same) {
            const std::vector<index_t> place = place_of(step.value.shape(), apart.at);
            return fmt::format(
                "{} steps agree. The first that differs: {}\n   {}{} is {} in {} and {} in {}\n{}", alike,
                step.path, step.path, shown_place(place), number(step.value.at(place)), first.name,
                number(other->value.at(place)), second.name, reasons(first, second, step.path));
        }
        ++alike;
    }
    for (const Trace::Step& step : b.trace->steps())
        if (!a.trace->contains(step.path))
            return fmt::format("{} steps agree. {} is a step of {} only.\n{}", alike, step.path, second.name,
                               reasons(first, second, step.path, true));
    return fmt::format("All {} steps agree to {:g}.\n", alike, same);
}

std::string other_choices(const Convention& a, const Convention& b) {
    std::string text = "\nAll choices in which the two differ (docs/conventions.md):\n";
    for (const glassbox::Difference& each : differences(a, b))
        text += fmt::format("   {}: {} | {}\n", each.choice, each.first, each.second);
    return text;
}

}  // namespace

std::string diff_text(const ModelCommand& command, const ModelTyped& t) {
    const std::vector<std::string> names = comma_list(t.diff);
    if (names.size() != 2)
        fail<UsageError>("--diff: two conventions expected, such as uva-torch,report, got '{}'", t.diff);
    const Convention &first = glassbox::convention(names[0]), &second = glassbox::convention(names[1]);
    Run a;
    run(command, t, first, nullptr, a);
    Run b;  // its trace is the innermost from here on
    run(command, t, second, &a, b);
    std::string text = fmt::format("{}: {} ({}) against {} ({}), the same weights and input\n",
                                   a.subject.title, first.name, first.source, second.name, second.source);
    return text + first_difference(a, b, first, second) + other_choices(first, second);
}

}  // namespace tracer
