#include "subject/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <glassbox/tensor/format.h>
#include <glassbox/tensor/real.h>

#include "cli/number.h"
#include "cli/output.h"
#include "cli/text_width.h"
#include "explain/tensor_element.h"
#include "subject/model_report.h"

namespace glassbox::tracer {

namespace {

// The largest difference between two arrays.
struct LargestDifference {
    double units = 0;
    index_t at = 0;
    bool agrees = true;
};

bool differs(real a, real b) {
    if (equal_or_nan(a, b)) return false;
    const double x = static_cast<double>(a), y = static_cast<double>(b);
    return !(std::abs(x - y) <= backend_tolerance * std::max(1.0, std::abs(x)));
}

LargestDifference largest_difference(const std::vector<real>& a, const std::vector<real>& b) {
    LargestDifference found;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double units = units_apart(a[i], b[i]);
        if (units > found.units) found.units = units, found.at = static_cast<index_t>(i);
        if (differs(a[i], b[i])) found.agrees = false;
    }
    return found;
}

const Trace::Step* step_of(const Trace& trace, const std::string& path) {
    for (const Trace::Step& step : trace.steps())
        if (step.path == path) return &step;
    return nullptr;
}

using Row = std::vector<std::string>;

std::string table(const std::vector<Row>& rows) {
    std::vector<int> widths;
    for (const Row& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i == widths.size()) widths.push_back(0);
            widths[i] = std::max(widths[i], width_of(row[i]));
        }
    std::string text;
    for (const Row& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += row[i] + std::string(static_cast<std::size_t>(widths[i] - width_of(row[i]) + 3), ' ');
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

// "3 ulp", "1.2e+06 ulp"
std::string shown_units(double units) {
    if (units == 0) return "0";
    return units < 1e5 ? fmt::format("{:.4g} ulp", units) : fmt::format("{:.1e} ulp", units);
}

Row row_of(const Trace::Step& step, const Tensor& other, LargestDifference& found) {
    const std::vector<real> a = step.value.values(), b = other.values();
    found = largest_difference(a, b);
    Row row{step.path, step.value.shape().str(), shown_units(found.units)};
    if (found.units == 0) return row;
    const std::size_t at = static_cast<std::size_t>(found.at);
    row.push_back(shown_place(place_of(step.value.shape(), found.at)));
    row.push_back(number(a[at], 9));
    row.push_back(number(b[at], 9));
    if (!found.agrees) row.push_back("far apart");
    return row;
}

}  // namespace

double units_apart(real a, real b) {
    if (equal_or_nan(a, b)) return 0;
    const real larger = std::max(std::abs(a), std::abs(b));
    if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<double>::infinity();
    const real unit = larger == std::numeric_limits<real>::max()
                          ? larger - std::nextafter(larger, real(0))
                          : std::nextafter(larger, std::numeric_limits<real>::max()) - larger;
    return std::abs(static_cast<double>(a) - static_cast<double>(b)) / static_cast<double>(unit);
}

BackendComparison compare_traces(const Trace& first, const std::string& first_name, const Trace& second,
                                 const std::string& second_name) {
    std::vector<Row> rows{{"step", "shape", "largest difference", "at", first_name, second_name}};
    BackendComparison result;
    std::string missing;
    double max_units = 0;
    for (const Trace::Step& step : first.steps()) {
        const Trace::Step* other = step_of(second, step.path);
        if (!other || other->value.shape() != step.value.shape()) {
            missing += fmt::format("{} {} is a step of {} only\n", step.path, step.value.shape(), first_name);
            continue;
        }
        LargestDifference found;
        rows.push_back(row_of(step, other->value, found));
        max_units = std::max(max_units, found.units);
        result.agrees = result.agrees && found.agrees;
    }
    for (const Trace::Step& step : second.steps())
        if (!step_of(first, step.path))
            missing +=
                fmt::format("{} {} is a step of {} only\n", step.path, step.value.shape(), second_name);
    result.agrees = result.agrees && missing.empty();
    result.text =
        table(rows) + missing +
        (result.agrees
             ? fmt::format("\nAll {} steps agree up to rounding: at most {}.\n", rows.size() - 1,
                           shown_units(max_units))
             : fmt::format("\nThe two backends differ by more than rounding ({:g}).\n", backend_tolerance)) +
        "ulp: a unit in the last place of the larger of the two numbers. Backends add in different orders,\n"
        "so sums differ in their last places; where terms cancel, the result differs in more of them.\n";
    return result;
}

namespace {

Report report_of(const Side& side, const std::string& command) {
    Report report = model_report(side.trace, side.subject, side.settings, side.input);
    report.command = command;
    report.label = side.label;
    report.computation =
        std::make_shared<Computation>(computation_of(side.trace, side.subject.parameters().values()));
    return report;
}

}  // namespace

void show_side_by_side(const std::string& command, const Side& first, const Side& second,
                       const SidesText& about, const ModelSettings& s) {
    Report report = report_of(first, command);
    report.other = std::make_shared<Report>(report_of(second, command));
    report.title = about.text.substr(0, about.text.find('\n'));
    if (!about.agrees.empty()) report.title = about.agrees + " · " + report.title;
    report.footer = about.text;
    if (!about.weights.empty()) report.header.push_back(about.weights.substr(0, about.weights.find('\n')));
    report.tolerance = about.tolerance;
    if (about.why)
        for (Report::Step& step : report.steps) step.reason = about.why(step.path);
    deliver(s.renderer().render(report, s.style()), s.output.string());
}

}  // namespace glassbox::tracer
