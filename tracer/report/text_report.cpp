#include "report/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/print.h>

#include "cli/number.h"
#include "cli/output.h"
#include "cli/text_width.h"
#include "report/heat.h"

namespace glassbox::tracer {
namespace {

constexpr const char* inset = "   ";

// The ends of the colour scales that all steps share.
struct Scales {
    double value = 0, gradient = 0;
};

Scales scales_of(const Report& report, const TextStyle& style) {
    Scales scales;
    if (!style.has_color() || style.scale == ColorScale::each) return scales;
    for (const Report::Step& step : report.steps) {
        if (step.kind != Report::Kind::weight && step.kind != Report::Kind::word)
            scales.value = std::max(scales.value, largest_visible(step.value));
        if (step.gradient.defined())
            scales.gradient = std::max(scales.gradient, largest_visible(step.gradient));
    }
    return scales;
}

std::string numbers_text(const Tensor& x, Report::Kind kind, double largest, const TextStyle& style) {
    PrintStyle numbers = style.numbers;
    numbers.whole = kind == Report::Kind::word;
    if (style.has_color())
        numbers.decorate =
            Heat{kind, style.scale == ColorScale::each ? largest_visible(x) : largest, style.colors};
    return to_text(x, numbers, inset) + "\n";
}

// Indented lines below a step's heading.
std::string inset_text(const std::string& text, const char* code, const TextStyle& style) {
    return styled(wrapped(inset + text, style.width, inset), code, *code && style.has_color()) + "\n";
}

std::string check_text(const Report::Check& check, const TextStyle& style) {
    const bool color = style.has_color();
    const std::string mark = check.holds ? styled("✓", "32", color) : styled("!", "1;31", color);
    return fmt::format("   {} {}\n", mark, wrapped("     " + check.text, style.width, "     ").substr(5));
}

std::string gradient_text(const Report& report, const Report::Step& step, double largest,
                          const TextStyle& style) {
    constexpr auto kind = Report::Kind::number;
    std::string text = fmt::format("   ∂{}/∂{}\n{}", report.scalar, step.path,
                                   numbers_text(step.gradient, kind, largest, style));
    TextStyle plain = style;
    plain.numbers.precision =
        std::min(plain.numbers.precision, 6);  // a finite difference in float has no more digits
    if (step.difference.defined())
        text += "   the same by finite differences\n" + numbers_text(step.difference, kind, largest, plain);
    return text + check_text(step.agreement, style);
}

std::string step_text(const Report& report, std::size_t index, const Scales& scales, const TextStyle& style) {
    const Report::Step& step = report.steps[index];
    std::string head = step.path;
    if (!step.formula.empty()) head += " = " + step.formula;
    std::string text = fmt::format("{}  {}  {}\n", index + 1, styled(head, bold, style.has_color()),
                                   step.value.shape().str());
    if (!step.sentence.empty()) text += inset_text(step.sentence, "", style);
    if (!step.worked.empty()) text += inset_text(step.worked, dim, style);
    text += step.words.empty() ? numbers_text(step.value, step.kind, scales.value, style)
                               : word_table(step.words, step.value, step.shows_positions, style.width, inset);
    text += step.drawing;
    if (step.right.defined())
        text += "   the expected numbers\n" + numbers_text(step.right, step.kind, scales.value, style);
    for (const Report::Check& check : step.checks) text += check_text(check, style);
    if (!step.answer.empty()) {
        text += inset_text("→ " + step.answer, "", style);
        if (!report.untrained.empty()) text += inset_text("  " + report.untrained, dim, style);
    }
    if (step.gradient.defined()) text += gradient_text(report, step, scales.gradient, style);
    else if (!step.agreement.text.empty()) text += check_text(step.agreement, style);
    return text;
}

double l2_norm(const Tensor& x) {
    double squares = 0;
    for (const real each : x.values()) squares += static_cast<double>(each) * static_cast<double>(each);
    return without_nan_sign(std::sqrt(squares));
}

std::string gradients_of(const std::string& heading, const std::vector<Report::Parameter>& all,
                         const std::string& scalar, const TextStyle& style) {
    if (all.empty()) return "";
    std::size_t name_width = 0, shape_width = 0;
    int check_width = 0;
    for (const Report::Parameter& each : all) {
        name_width = std::max(name_width, each.name.size());
        shape_width = std::max(shape_width, each.value.shape().str().size());
        check_width = std::max(check_width, width_of(each.agreement.text));
    }
    std::string text = wrapped(
        heading + fmt::format(", the norm of ∂{}/∂ each, and finite differences of a few numbers\n", scalar),
        style.width);
    text.replace(0, heading.size(), styled(heading, bold, style.has_color()));
    // Verdicts on the same lines, or all of them below where one is too long.
    const auto widest = static_cast<int>(name_width + shape_width) + 16 + 5 + check_width;
    const char* between = style.width > 0 && widest > style.width ? "\n   " : "";
    for (const Report::Parameter& each : all)
        text += fmt::format("   {:<{}}  {:<{}}  {:>9.3g}", each.name, name_width, each.value.shape().str(),
                            shape_width, l2_norm(each.gradient)) +
                between + check_text(each.agreement, style);
    return text;
}

}  // namespace

std::string render_header(const Report& report, const TextStyle& style) {
    std::string text = styled(wrapped(report.title, style.width), bold, style.has_color()) + "\n";
    std::string more;
    for (const std::string& line : report.header) more += line + "\n";
    if (!report.scalar.empty())
        more += fmt::format(
            "{0} = {1}\n"
            "Gradients: how much {0} changes when one number changes a little, and the same by finite\n"
            "differences: each number is changed a little and everything is computed again. Rounding\n"
            "and the size of the change cause small differences, given relative to the largest gradient.\n",
            report.scalar, number(static_cast<real>(report.scalar_value)));
    return text + wrapped(more, style.width);
}

std::string render_step(const Report& report, std::size_t index, const TextStyle& style) {
    return step_text(report, index, scales_of(report, style), style);
}

std::string render_parameters(const Report& report, const TextStyle& style) {
    const std::string inputs = gradients_of("Inputs", report.inputs, report.scalar, style);
    const std::string parameters = gradients_of("Parameters", report.parameters, report.scalar, style);
    return inputs + (inputs.empty() || parameters.empty() ? "" : "\n") + parameters;
}

std::string render_steps(const Report& report, const TextStyle& style) {
    const Scales scales = scales_of(report, style);
    std::string text;
    for (std::size_t i = 0; i < report.steps.size(); ++i) text += "\n" + step_text(report, i, scales, style);
    return text;
}

}  // namespace glassbox::tracer
