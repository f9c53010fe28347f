#include "report/text_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/print.h>

#include "cli/number.h"
#include "cli/output.h"
#include "cli/text_width.h"
#include "figures/figure.h"
#include "figures/terminal_color.h"
#include "report/heat.h"
#include "report/matrix_text.h"

namespace glassbox::tracer {
namespace {

constexpr const char* inset = "   ";

// The ends of the colour scales that all steps share.
struct Scales {
    double value = 0, gradient = 0;
    bool has_negative = false;
};

bool has_negative(const Report::Step& step) {
    if (step.kind == Report::Kind::weight || step.kind == Report::Kind::word) return false;
    const std::vector<real> all = step.value.values();
    return std::any_of(all.begin(), all.end(), [](real x) { return x < 0 && !is_hidden_score(x); });
}

Scales scales_of(const Report& report, const TextStyle& style) {
    Scales scales;
    if (!style.has_color()) return scales;
    for (const Report::Step& step : report.steps) {
        if (step.gradient.defined() || has_negative(step)) scales.has_negative = true;
        if (step.kind != Report::Kind::weight && step.kind != Report::Kind::word)
            scales.value = std::max(scales.value, largest_visible(step.value));
        if (step.gradient.defined())
            scales.gradient = std::max(scales.gradient, largest_visible(step.gradient));
    }
    if (style.scale == ColorScale::each) scales.value = scales.gradient = 0;
    return scales;
}

// The numbers of x, the step's value or of its shape.
std::string numbers_text(const Report::Step& step, const Tensor& x, Report::Kind kind, double largest,
                         const TextStyle& style) {
    const double shared = kind == Report::Kind::weight ? 1 : largest;
    const Heat heat{kind, style.scale == ColorScale::each ? largest_visible(x) : shared, style.colors};
    if (style.is_on_terminal()) {
        MatrixStyle matrix{.width = style.width,
                           .digits = style.digits,
                           .shrinks = style.shrinks,
                           .indent = inset,
                           .decorate = heat,
                           .color = style.has_color(),
                           .is_beside = style.is_wide()};
        return matrix_text(step, x, kind, matrix);
    }
    PrintStyle numbers = style.numbers;
    numbers.whole = kind == Report::Kind::word;
    if (style.has_color()) numbers.decorate = heat;
    return to_text(x, numbers, inset) + "\n";
}

// Indented lines below a step's heading.
std::string inset_text(const std::string& text, const char* code, const TextStyle& style) {
    return styled(wrapped(inset + text, style.width, inset), code, *code && style.has_color()) + "\n";
}

std::string check_text(const Report::Check& check, const TextStyle& style) {
    const bool color = style.has_color();
    const std::string mark = check.holds ? styled("✓", green_text, color) : styled("!", red_text, color);
    return fmt::format("   {} {}\n", mark, wrapped("     " + check.text, style.width, "     ").substr(5));
}

// The numbers of a step under what they are.
struct Numbers {
    std::string heading, text;
};

Numbers gradient_of(const Report& report, const Report::Step& step, double largest, const TextStyle& style) {
    return {fmt::format("∂{}/∂{}", report.scalar, step.path),
            numbers_text(step, step.gradient, Report::Kind::number, largest, style)};
}

Numbers difference_of(const Report::Step& step, double largest, const TextStyle& style) {
    TextStyle plain = style;
    constexpr int most = 6;  // a finite difference in float has no more digits
    plain.numbers.precision = std::min(plain.numbers.precision, most);
    plain.digits = std::min(plain.digits, most);
    return {"the same by finite differences",
            numbers_text(step, step.difference, Report::Kind::number, largest, plain)};
}

std::string below_each_other(const std::vector<Numbers>& all) {
    std::string text;
    for (const Numbers& each : all) text += inset + each.heading + "\n" + each.text;
    return text;
}

// The value of a step under `heading`, and beside it the others, where the terminal holds that; else "".
std::string side_by_side(const std::string& heading, const std::string& value,
                         const std::vector<Numbers>& others, const TextStyle& style) {
    constexpr int gap = 3;
    if (!style.is_on_terminal() || others.empty()) return "";
    std::vector<std::string> texts{inset + heading + "\n" + value};
    for (const Numbers& each : others) texts.push_back(inset + each.heading + "\n" + each.text);
    int column = 0;
    for (const std::string& text : texts) column = std::max(column, widest_line(text));
    const int before_last = (column + gap) * static_cast<int>(others.size());
    return before_last + widest_line(texts.back()) <= style.width ? beside(texts, column + gap) : "";
}

// Its place among all steps of the pass, those that are folded included.
std::size_t number_of(const Report& report, std::size_t index) {
    std::size_t number = index + 1;
    for (const Report::Fold& fold : report.folds)
        if (fold.before <= index) number += static_cast<std::size_t>(fold.steps);
    return number;
}

// The numbers beside a step's own: without the mistake, the gradient and, where a terminal does not have to
// be told that they agree with it, finite differences.
std::vector<Numbers> numbers_beside(const Report& report, const Report::Step& step, const Scales& scales,
                                    const TextStyle& style) {
    std::vector<Numbers> all;
    if (step.right.defined())
        all.push_back(
            {"the expected numbers", numbers_text(step, step.right, step.kind, scales.value, style)});
    if (step.gradient.defined()) all.push_back(gradient_of(report, step, scales.gradient, style));
    if (step.gradient.defined() && step.difference.defined() && !step.agreement.holds)
        all.push_back(difference_of(step, scales.gradient, style));
    return all;
}

// Weights between words look like a meaning.
bool needs_note(const Report::Step& step) {
    return step.kind == Report::Kind::weight && !step.axes.empty() && !step.axes.back().words.empty() &&
           step.answer.empty();
}

std::string step_text(const Report& report, std::size_t index, const Scales& scales, const TextStyle& style) {
    const Report::Step& step = report.steps[index];
    std::string head = step.path;
    const auto set = [&](const std::string& words) {
        return style.is_on_terminal() ? with_indices(words) : words;
    };
    if (!step.formula.empty()) head += " = " + set(step.formula);
    const std::string number = std::to_string(number_of(report, index));
    const bool is_narrow = style.is_on_terminal() && number.size() > 1;  // titles below each other
    std::string text = wrapped(
        fmt::format("{}{}{}  {}\n", number, is_narrow ? " " : "  ", styled(head, bold, style.has_color()),
                    styled(step.value.shape().str(), dim, style.has_color())),
        style.width, inset);
    if (!step.sentence.empty()) text += inset_text(set(step.sentence), dim, style);
    if (!step.worked.empty())
        text +=
            inset_text(style.is_on_terminal() ? with_short_exponents(step.worked) : step.worked, "", style);
    const std::string value =
        step.words.empty() ? numbers_text(step, step.value, step.kind, scales.value, style)
                           : word_table(step.words, step.value, step.shows_positions, style.width, inset);
    const std::string together = side_by_side(
        step.right.defined() ? "with the mistake" : step.path, value,
        style.is_on_terminal() ? numbers_beside(report, step, scales, style) : std::vector<Numbers>(), style);
    text += together.empty() ? value : together;
    const bool is_said =  // on a terminal once
        style.is_on_terminal() &&
        std::any_of(report.steps.begin(), report.steps.begin() + static_cast<std::ptrdiff_t>(index),
                    needs_note);
    if (needs_note(step) && !report.untrained.empty() && !is_said)
        text += inset_text(report.untrained, dim, style);
    text += step.drawing;
    if (step.right.defined() && together.empty())
        text += "   the expected numbers\n" + numbers_text(step, step.right, step.kind, scales.value, style);
    for (const Report::Check& check : step.checks) text += check_text(check, style);
    if (!step.answer.empty()) {
        text += inset_text("→ " + step.answer, "", style);
        if (!report.untrained.empty()) text += inset_text("  " + report.untrained, dim, style);
    }
    if (step.gradient.defined() && together.empty()) {
        std::vector<Numbers> all{gradient_of(report, step, scales.gradient, style)};
        if (step.difference.defined() && !(style.is_on_terminal() && step.agreement.holds))
            all.push_back(difference_of(step, scales.gradient, style));
        text += below_each_other(all);
    }
    if (step.gradient.defined() || !step.agreement.text.empty()) text += check_text(step.agreement, style);
    return text;
}

// Parts that follow each other, a line each:
//     ▸ encoder/0  15 steps → (1, 4, 8)   --scope encoder/0
std::string folds_text(const Report::Fold* begin, const Report::Fold* end, const TextStyle& style) {
    int part = 0, what = 0;
    const auto what_of = [](const Report::Fold& fold) {
        return fmt::format("{} → {}", counted(fold.steps, "step"), fold.result.str());
    };
    for (const Report::Fold* fold = begin; fold != end; ++fold) {
        part = std::max(part, width_of(fold->part));
        what = std::max(what, width_of(what_of(*fold)));
    }
    std::string text;
    for (const Report::Fold* fold = begin; fold != end; ++fold)
        text += fmt::format("▸  {}{:{}}  {:>{}}   {}\n", styled(fold->part, bold, style.has_color()), "",
                            part - width_of(fold->part), what_of(*fold), what,
                            styled("--scope " + fold->part, dim, style.has_color()));
    return text;
}

// What the colours mean, on a terminal: one line for all steps.
std::string legend_text(const Report& report, const Scales& scales, const TextStyle& style) {
    if (!style.is_on_terminal()) return "";
    const auto has = [&](auto fits) { return std::any_of(report.steps.begin(), report.steps.end(), fits); };
    const auto has_kind = [&](Report::Kind kind) {
        return has([&](const Report::Step& step) { return step.kind == kind; });
    };
    const bool is_each = style.scale == ColorScale::each;
    std::string text;
    int used = 0;  // of the line
    const auto add = [&](const std::string& part) {
        const int width = shown_width(part);
        if (used > 0 && used + 3 + width > style.width) text += "\n", used = 0;
        else if (used > 0) text += "   ", used += 3;
        text += part, used += width;
    };
    constexpr int columns = 9;
    const auto add_scale = [&](const std::string& low, Palette palette, const std::string& high) {
        std::string bar;
        for (int i = 0; i < columns; ++i)
            bar += on_palette(" ", palette, i / static_cast<double>(columns - 1), style.colors);
        add(fmt::format("{} {} {}", low, bar, high));
    };
    const auto add_signed_scale = [&](const std::string& high) {
        constexpr int middle = columns / 2;
        std::string bar;
        for (int i = scales.has_negative ? 0 : middle; i < columns; ++i)
            bar += number_on_palette(i == middle ? "0" : " ", Palette::red_blue,
                                     i / static_cast<double>(columns - 1), style.colors);
        const std::string note = is_each ? " of each step" : ", the largest of all steps (--scale each)";
        add(fmt::format("numbers: {}{} {}{}", scales.has_negative ? "-" + high + " " : "", bar, high,
                        styled(note, dim, true)));
    };
    if (style.colors >= Colors::many) {
        const std::string end = is_each ? "largest" : fmt::format("{:.3g}", scales.value);
        if (has_kind(Report::Kind::number)) add_signed_scale(end);
        if (has_kind(Report::Kind::weight))
            add_scale("weights: 0", Palette::cividis, is_each ? "largest of each step" : "1");
    }
    const auto hides = [&](Report::Kind kind) {
        return has([&](const Report::Step& step) { return step.kind == kind && step.seen.defined(); });
    };
    std::vector<std::string> marks;
    if (hides(Report::Kind::weight)) marks.push_back(styled(hidden_mark, dim, style.has_color()));
    if (hides(Report::Kind::masked) && style.has_color()) marks.push_back(styled("faint", dim, true));
    if (!marks.empty()) add(fmt::format("{} {}", fmt::join(marks, " or "), hidden_note));
    if (has([](const Report::Step& step) { return step.worked.find("≈") != std::string::npos; }))
        add(styled("≈: the digits shown do not give the result to its last one", dim, style.has_color()));
    return text.empty() ? "" : text + "\n";
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

// ---- steps side by side -----------------------------------------------------------------------------------

constexpr int gap_of_steps = 3;  // columns

// Whether both can be read at once: of the same part, neither computed from the other; or, where a terminal
// is very wide, of one shape.
bool belong_together(const Report::Step& before, const Report::Step& step, int width) {
    constexpr int very_wide = 140;
    const std::string path = before.path.substr(0, before.path.rfind('/') + 1);
    const bool is_same_part = step.path.substr(0, step.path.rfind('/') + 1) == path;
    const bool are_inputs = before.formula.empty() && step.formula.empty();
    const bool are_apart = before.needs && step.needs && *before.needs == *step.needs;
    const bool are_alike = width >= very_wide && before.value.shape() == step.value.shape();
    return is_same_part && before.value.rank() == step.value.rank() && (are_inputs || are_apart || are_alike);
}

// How many steps from this one on stand side by side, each in its share of the width with nothing shortened.
std::size_t count_beside(const Report& report, std::size_t first, const Scales& scales,
                         const TextStyle& style) {
    constexpr std::size_t most = 3;
    const auto is_cut = [&](std::size_t at) {
        return std::any_of(report.folds.begin(), report.folds.end(),
                           [&](const Report::Fold& fold) { return fold.before == at; });
    };
    const auto is_plain = [&](std::size_t at) {  // its lines are wrapped to any width
        const Report::Step& step = report.steps[at];
        return report.scalar.empty() && step.drawing.empty() && step.words.empty() && !step.right.defined();
    };
    std::size_t end = first + 1;
    while (style.is_wide() && is_plain(first) && end < report.steps.size() && is_plain(end) &&
           end - first < most && !is_cut(end) &&
           belong_together(report.steps[first], report.steps[end], style.width))
        ++end;
    for (; end - first > 1; --end) {
        const TextStyle share = style.share_of(static_cast<int>(end - first), gap_of_steps);
        const bool fit = std::all_of(
            report.steps.begin() + static_cast<std::ptrdiff_t>(first),
            report.steps.begin() + static_cast<std::ptrdiff_t>(end), [&](const Report::Step& step) {
                TextStyle whole = style;
                whole.may_stand_beside = false;
                constexpr int most_lines = 2;  // of arithmetic: more are hard to follow
                const bool is_short = width_of(step.worked) + 3 * most_lines <= share.width * most_lines;
                return is_short && numbers_text(step, step.value, step.kind, scales.value, share) ==
                                       numbers_text(step, step.value, step.kind, scales.value, whole);
            });
        if (fit) break;
    }
    return end - first;
}

std::string steps_beside(const Report& report, std::size_t first, std::size_t count, const Scales& scales,
                         const TextStyle& style) {
    const TextStyle share = style.share_of(static_cast<int>(count), gap_of_steps);
    std::vector<std::string> texts;
    for (std::size_t i = first; i < first + count; ++i) texts.push_back(step_text(report, i, scales, share));
    return beside(texts, share.width + gap_of_steps);
}

// "dₖ = 2" where a step divides by its root and no line of the header says it.
std::string key_width(const Report& report) {
    const auto says = [](const std::string& line) { return line.find("d_k = ") != line.npos; };
    const bool is_used = std::any_of(report.steps.begin(), report.steps.end(), [](const Report::Step& step) {
        return step.formula.find("√d_k") != step.formula.npos;
    });
    if (!is_used || std::any_of(report.header.begin(), report.header.end(), says)) return "";
    for (const Report::Step& step : report.steps)
        if (last_part(step.path) == "Q" && step.value.rank() > 0)
            return fmt::format("d_k = {}: the columns of one head's Q\n", step.value.shape()[-1]);
    return "";
}

}  // namespace

namespace {

// A line of the header on as few lines as hold its parts, each of them whole.
std::string in_parts(const std::string& line, const std::string& between, int width) {
    if (width == 0 || width_of(line) <= width) return line;
    std::string text;
    int used = 0;
    for (std::size_t begin = 0; begin <= line.size();) {
        const std::size_t end = std::min(line.find(between, begin), line.size());
        const std::string part = line.substr(begin, end - begin);
        const bool fits = used == 0 || used + width_of(between) + width_of(part) <= width;
        if (used > 0) text += fits ? between : "\n  ";
        used = (used == 0 ? 0 : fits ? used + width_of(between) : 2) + width_of(part);
        text += part;
        begin = end + between.size();
    }
    return wrapped(text, width, "  ");
}

}  // namespace

std::string render_header(const Report& report, const TextStyle& style) {
    const std::string title = in_parts(report.title, " · ", style.width);
    const std::size_t end_of_name = std::min(title.find("·"), title.size());
    std::string text = styled(title.substr(0, end_of_name), bold, style.has_color());
    if (end_of_name < title.size()) text += styled(title.substr(end_of_name), dim, style.has_color());
    std::string more = "\n";
    for (const std::string& line : report.header) {
        if (!style.is_on_terminal()) {
            more += line + "\n";
            continue;
        }
        const bool is_formula = line.find(" = ") != line.npos && line.find(": ") == line.npos;
        const std::string text_line = with_short_exponents(line);  // "-9e15", as in the matrices below
        const char* between = line.find(",  ") != line.npos ? ",  " : "; ";
        more += in_parts(is_formula ? with_indices(text_line) : text_line, between, style.width) + "\n";
    }
    if (style.is_on_terminal()) more += with_indices(key_width(report));
    const char* end = style.is_on_terminal() ? " " : "\n";  // a terminal breaks lines at its own width
    if (!report.scalar.empty())
        more += fmt::format(
            "{0} = {1}\n"
            "Gradients: how much {0} changes when one number changes a little, and the same by finite{2}"
            "differences: each number is changed a little and everything is computed again. Rounding{2}"
            "and the size of the change cause small differences, given relative to the largest gradient.\n",
            report.scalar, number(static_cast<real>(report.scalar_value)), end);
    return text + wrapped(more, style.width, "  ");
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
    std::string text = legend_text(report, scales, style);
    for (std::size_t i = 0, fold = 0; i <= report.steps.size(); ++i) {
        std::size_t end = fold;
        while (end < report.folds.size() && report.folds[end].before == i) ++end;
        if (end > fold) text += "\n" + folds_text(&report.folds[fold], &report.folds[end - 1] + 1, style);
        fold = end;
        if (i == report.steps.size()) break;
        const std::size_t count = count_beside(report, i, scales, style);
        text += "\n" + (count > 1 ? steps_beside(report, i, count, scales, style)
                                  : step_text(report, i, scales, style));
        i += count - 1;
    }
    return text;
}

}  // namespace glassbox::tracer
