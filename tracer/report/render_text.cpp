#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/number.h"
#include "cli/output.h"
#include "report/render.h"

namespace tracer {
namespace {

std::string check_text(const Report::Check& check, bool color) {
    return fmt::format("   {} {}\n", check.holds ? styled("✓", "32", color) : styled("!", "1;31", color),
                       check.text);
}

std::string gradient_text(const Report& report, const Report::Step& step, const TextStyle& style) {
    std::string text = fmt::format("   ∂{}/∂{}\n{}\n", report.scalar, step.path,
                                   glassbox::to_text(step.gradient, style.numbers, "   "));
    glassbox::PrintStyle plain = style.numbers;
    plain.precision = std::min(plain.precision, 6);  // a float's finite difference knows no more
    if (step.difference.defined())
        text += fmt::format("   the same by finite differences\n{}\n",
                            glassbox::to_text(step.difference, plain, "   "));
    return text + check_text(step.agreement, style.color);
}

double length(const Tensor& x) {
    double squares = 0;
    for (const real each : x.values()) squares += static_cast<double>(each) * static_cast<double>(each);
    return std::sqrt(squares);
}

}  // namespace

std::string render_header(const Report& report, const TextStyle& style) {
    std::string text = styled(report.title, "1", style.color) + "\n";
    for (const std::string& line : report.header) text += line + "\n";
    if (!report.scalar.empty())
        text += fmt::format(
            "{0} = {1}\n"
            "Gradients: how much {0} changes when one number changes a little. Beside them the same by\n"
            "finite differences: each number is moved a little and everything is computed again. Rounding\n"
            "and the size of the move allow a difference between the two, told as a share of the largest.\n",
            report.scalar, number(static_cast<real>(report.scalar_value)));
    return text;
}

std::string render_step(const Report& report, std::size_t index, const TextStyle& style) {
    const Report::Step& step = report.steps[index];
    std::string head = step.path;
    if (!step.formula.empty()) head += " = " + step.formula;
    std::string text =
        fmt::format("{}  {}  {}\n", index + 1, styled(head, "1;36", style.color), step.value.shape().str());
    if (!step.sentence.empty()) text += fmt::format("   {}\n", step.sentence);
    if (!step.worked.empty()) text += fmt::format("   {}\n", styled(step.worked, "2", style.color));
    glassbox::PrintStyle numbers = style.numbers;
    numbers.whole = step.is_whole;
    text += glassbox::to_text(step.value, numbers, "   ") + "\n";
    for (const Report::Check& check : step.checks) text += check_text(check, style.color);
    if (step.gradient.defined()) text += gradient_text(report, step, style);
    else if (!step.agreement.text.empty()) text += check_text(step.agreement, style.color);
    return text;
}

std::string render_parameters(const Report& report, const TextStyle& style) {
    if (report.parameters.empty()) return "";
    std::size_t name_width = 0, shape_width = 0;
    for (const Report::Parameter& each : report.parameters) {
        name_width = std::max(name_width, each.name.size());
        shape_width = std::max(shape_width, each.value.shape().str().size());
    }
    std::string text =
        styled("Parameters", "1;36", style.color) +
        fmt::format(", the length of ∂{}/∂ each, and finite differences of a few numbers\n", report.scalar);
    for (const Report::Parameter& each : report.parameters)
        text += fmt::format("   {:<{}}  {:<{}}  {:>9.3g}", each.name, name_width, each.value.shape().str(),
                            shape_width, length(each.gradient)) +
                check_text(each.agreement, style.color);
    return text;
}

std::string render_text(const Report& report, const TextStyle& style) {
    std::string text = render_header(report, style);
    for (std::size_t i = 0; i < report.steps.size(); ++i) text += "\n" + render_step(report, i, style);
    if (!report.parameters.empty()) text += "\n" + render_parameters(report, style);
    return report.footer.empty() ? text : text + "\n" + report.footer + "\n";
}

}  // namespace tracer
