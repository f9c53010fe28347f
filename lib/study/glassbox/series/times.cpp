#include <glassbox/series/times.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>

#include <glassbox/io/text.h>
#include <glassbox/series/detail/written_time.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

namespace chrono = std::chrono;

// ---- one time --------------------------------------------------------------------------------------------

namespace {

[[noreturn]] void refuse(std::string_view text) {
    fail("expected a number or a date like 1958-03-29, 1958-03 or 1958-03-29T12:00, got '{}'",
         printable(text, 60));
}

chrono::year_month_day date_of(double days) {
    return chrono::sys_days(chrono::days(static_cast<int>(std::floor(days))));
}

chrono::year_month month_of(double months) {
    return chrono::year_month(chrono::year(1970), chrono::January) +
           chrono::months(static_cast<int>(std::floor(months)));
}

std::string text_of(chrono::year_month_day date) {
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

}  // namespace

Moment parse_moment(std::string_view text) {
    double number = 0;
    const char* const end = text.data() + text.size();
    if (const auto read = std::from_chars(text.data(), end, number);
        read.ec == std::errc() && read.ptr == end) {
        if (!std::isfinite(number)) refuse(text);
        return {TimeUnit::number, number};
    }
    const std::optional<WrittenTime> time = written_time(text);
    if (!time) refuse(text);
    if (time->is_open) fail("day or month first? '{}' can be either", printable(text, 60));
    return moment_of(*time, text);
}

std::string written(const Moment& moment) {
    switch (moment.unit) {
        case TimeUnit::number:
            return fmt::format("{:.10g}", moment.value);
        case TimeUnit::month: {
            const chrono::year_month month = month_of(moment.value);
            return fmt::format("{:04}-{:02}", static_cast<int>(month.year()),
                               static_cast<unsigned>(month.month()));
        }
        case TimeUnit::day:
            return text_of(date_of(moment.value));
        case TimeUnit::second:
            break;
    }
    const double rounded = std::round(1000 * moment.value) / 1000, days = std::floor(rounded / 86400);
    const int thousandths = static_cast<int>(std::round(1000 * (rounded - 86400 * days)));
    const int seconds = thousandths / 1000, part = thousandths % 1000;
    const std::string date = text_of(date_of(days));
    const std::string minutes = fmt::format("{}T{:02}:{:02}", date, seconds / 3600, seconds / 60 % 60);
    if (part) return fmt::format("{}:{:02}.{:03}", minutes, seconds % 60, part);
    return seconds % 60 ? fmt::format("{}:{:02}", minutes, seconds % 60) : minutes;
}

// ---- evenly spaced times ---------------------------------------------------------------------------------

std::string TimeAxis::name(index_t t) const {
    const double value = first + step * static_cast<double>(t);
    if (unit != TimeUnit::month || day == 0) return written({unit, value});
    const chrono::year_month month = month_of(value);
    const chrono::year_month_day_last end = month / chrono::last;
    return text_of(month / std::min(end.day(), chrono::day(static_cast<unsigned>(day))));
}

std::string TimeAxis::step_name() const {
    if (unit == TimeUnit::number) return fmt::format("{:.6g}", step);
    const double rounded = std::round(1e4 * step) / 1e4;
    return fmt::format("{:.10g} {}{}", rounded, glassbox::name(unit), rounded == 1 ? "" : "s");
}

namespace {

// Of years as decimal numbers, 1949.083: quarters, months, half months or weeks; 0 for other numbers.
index_t steps_of_a_year(double first, double step) {
    constexpr double earliest = 1500, latest = 2200;
    if (first < earliest || first > latest) return 0;
    for (const index_t steps : {4, 12, 24, 52})
        if (std::abs(1 / step - static_cast<double>(steps)) < 0.005 * static_cast<double>(steps))
            return steps;
    return 0;
}

}  // namespace

index_t TimeAxis::steps_of_a_season() const {
    if (unit == TimeUnit::number) return steps_of_a_year(first, step);
    const double a_season = unit == TimeUnit::month    ? 12
                            : unit == TimeUnit::second ? (step < 86400       ? 86400
                                                          : step < 7 * 86400 ? 7 * 86400
                                                                             : 365.25 * 86400)
                            : unit == TimeUnit::day    ? (step < 7 ? 7 : 365.25)
                                                       : 0;
    return static_cast<index_t>(std::round(a_season / step));
}

namespace {

// The same day of every month, or always the last: that day, 31 for the last; 0 for others.
int day_of_months(const std::vector<Moment>& moments) {
    bool is_last = true, same = true;
    const chrono::day first = date_of(moments[0].value).day();
    for (const Moment& moment : moments) {
        const chrono::year_month_day date = date_of(moment.value);
        is_last = is_last && date == chrono::year_month_day(date.year() / date.month() / chrono::last);
        same = same && date.day() == first;
    }
    if (is_last) return 31;
    return same ? static_cast<int>(static_cast<unsigned>(first)) : 0;
}

// The first or last working days of months, one of each: 1 or 31; 0 for others. A week's end and two holidays
// lie between such a day and the month's own first or last.
int working_day_of_months(const std::vector<Moment>& moments) {
    constexpr unsigned max_day = 5;
    bool are_first = true, are_last = true;
    std::optional<chrono::year_month> before;
    for (const Moment& moment : moments) {
        const chrono::year_month_day date = date_of(moment.value);
        const chrono::year_month month = date.year() / date.month();
        if (before && month <= *before) return 0;
        before = month;
        const auto day = static_cast<unsigned>(date.day()),
                   last = static_cast<unsigned>((month / chrono::last).day());
        are_first = are_first && day <= max_day;
        are_last = are_last && day + max_day > last;
    }
    return are_last ? 31 : are_first ? 1 : 0;
}

// Dates as months, if they are months apart.
int turned_into_months(std::vector<Moment>& moments, int (*day_of)(const std::vector<Moment>&)) {
    if (moments.size() < 2 || moments[0].unit != TimeUnit::day) return 0;
    const int day = day_of(moments);
    if (day == 0) return 0;
    for (Moment& moment : moments) {
        const chrono::year_month_day date = date_of(moment.value);
        const chrono::months since = chrono::year_month(date.year(), date.month()) -
                                     chrono::year_month(chrono::year(1970), chrono::January);
        moment = {TimeUnit::month, static_cast<double>(since.count())};
    }
    return day;
}

// What a reader of tables from elsewhere must do: they often have several series, or the newest row first.
const char* why_not_increasing(const std::vector<Moment>& moments, std::size_t at) {
    const auto falls = [](const Moment& a, const Moment& b) { return b.value < a.value; };
    const bool all_fall =
        std::adjacent_find(moments.begin(), moments.end(),
                           [&](const Moment& a, const Moment& b) { return !falls(a, b); }) == moments.end();
    if (moments.size() > 2 && all_fall) return "; the last row is the oldest: reverse the rows";
    constexpr double hour = 3600;
    if (may_be_clock_change(moments[at]) && moments[at].value > moments[at - 1].value - 2 * hour)
        return "; the end of summer time has an hour twice: write UTC, or the zone after each time, as in "
               "02:00+01:00";
    if (at > 1 && moments[at].value <= moments[0].value)
        return "; are several series stacked? Only one can be read: leave out the rows of the others";
    return "";
}

double median(std::vector<double> numbers) {
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>((numbers.size() - 1) / 2);
    std::nth_element(numbers.begin(), middle, numbers.end());
    return *middle;
}

}  // namespace

namespace {

// The places of times on an even grid, each within a part of a step from its own; else empty.
std::vector<index_t> on_even_grid(const std::vector<Moment>& moments, double step) {
    constexpr double max_off = 0.15;  // of a step: a day of a week
    const double first = moments.front().value, length = moments.back().value - first;
    const double steps = std::round(length / step);
    if (!(steps >= 1 && steps <= 1e9)) return {};
    std::vector<index_t> rows;
    double early = 0, late = 0;  // the first is also only nearly on the grid
    for (const Moment& moment : moments) {
        const double place = (moment.value - first) * steps / length, row = std::round(place);
        early = std::min(early, place - row), late = std::max(late, place - row);
        if (late - early > 2 * max_off || (!rows.empty() && row <= static_cast<double>(rows.back())))
            return {};
        rows.push_back(static_cast<index_t>(row));
    }
    return rows;
}

}  // namespace

Spacing spacing_of(const std::vector<Moment>& given, const std::vector<index_t>& lines, bool exact) {
    Spacing spacing;
    std::vector<Moment> moments = given;
    spacing.times.day = turned_into_months(moments, day_of_months);
    std::vector<double> distances;
    for (std::size_t i = 1; i < given.size(); ++i) {
        distances.push_back(moments[i].value - moments[i - 1].value);
        if (!(distances.back() > 0))
            fail("line {}: expected increasing times, got {} after {}{}", lines[i], written(given[i]),
                 written(given[i - 1]), why_not_increasing(given, i));
    }
    spacing.times.unit = moments.empty() ? TimeUnit::number : moments[0].unit;
    spacing.times.first = moments.empty() ? 0 : moments[0].value;
    spacing.rows.assign(moments.empty() ? 0 : 1, 0);
    if (distances.empty()) return spacing;
    // Fractions of a second are exact to some 10⁻⁷ s.
    const double step = median(distances), tolerance = spacing.times.unit == TimeUnit::number   ? 0.05
                                                       : spacing.times.unit == TimeUnit::second ? 1e-5
                                                                                                : 1e-9;
    std::size_t uneven = 0;
    for (std::size_t i = 1; i < moments.size(); ++i) {
        const double steps = std::round(distances[i - 1] / step);
        // Written so that NaN, of times at both ends of what a number can be, does not pass.
        if (!(steps >= 1 && steps <= 1e9 && std::abs(distances[i - 1] / step - steps) <= tolerance)) {
            uneven = i;
            break;
        }
        spacing.rows.push_back(spacing.rows.back() + static_cast<index_t>(steps));
    }
    if (uneven > 0 && spacing.times.day == 0 && !exact) {
        std::vector<Moment> months = given;
        if (const int day = turned_into_months(months, working_day_of_months)) {
            Spacing found = spacing_of(months, lines, true);
            found.times.day = day;
            found.note = fmt::format("the {} working days of months are taken as their {} days",
                                     day == 1 ? "first" : "last", day == 1 ? "first" : "last");
            return found;
        }
        spacing.rows = on_even_grid(moments, step);
        if (!spacing.rows.empty())
            spacing.note = fmt::format(
                "the times are not quite even, most {} apart: each is moved to its place on an even grid",
                TimeAxis{spacing.times.unit, 0, step, 0}.step_name());
    }
    if (uneven > 0 && spacing.note.empty())
        fail("line {}: from {} to {}: expected evenly spaced times, and most are {} apart", lines[uneven],
             written(given[uneven - 1]), written(given[uneven]),
             TimeAxis{spacing.times.unit, 0, step, 0}.step_name());
    spacing.times.step =
        (moments.back().value - moments.front().value) / static_cast<double>(spacing.rows.back());
    return spacing;
}

}  // namespace glassbox
