#include <glassbox/series/times.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include <glassbox/io/detail/text.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace chrono = std::chrono;

// ---- one time --------------------------------------------------------------------------------------------

namespace {

// Reads digits and separators from the front of a text.
class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {}

    bool take(char c) {
        if (text_.empty() || text_.front() != c) return false;
        text_.remove_prefix(1);
        return true;
    }
    // Exactly this many digits; −1 if they are not there.
    int digits(std::size_t count) {
        if (text_.size() < count) return -1;
        int number = 0;
        for (const char c : text_.substr(0, count)) {
            if (c < '0' || c > '9') return -1;
            number = 10 * number + (c - '0');
        }
        text_.remove_prefix(count);
        return number;
    }
    bool at_end() const { return text_.empty(); }

  private:
    std::string_view text_;
};

[[noreturn]] void refuse(std::string_view text) {
    fail("a number or a date like 1958-03-29, 1958-03 or 1958-03-29T12:00 expected, got '{}'",
         printable(text, 60));
}

// Seconds since midnight: "12:00", "12:00:30", either with a Z.
double time_of_day(Scanner& rest, std::string_view text) {
    const int hour = rest.digits(2), minute = rest.take(':') ? rest.digits(2) : -1;
    const int second = rest.take(':') ? rest.digits(2) : 0;
    rest.take('Z');
    if (hour < 0 || minute < 0 || second < 0 || !rest.at_end()) refuse(text);
    if (hour > 23 || minute > 59 || second > 59) fail("no such time of day: '{}'", printable(text));
    return 3600.0 * hour + 60.0 * minute + second;
}

double days_since_1970(chrono::year_month_day date) {
    return static_cast<double>(chrono::sys_days(date).time_since_epoch().count());
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
    Scanner rest(text);
    const int year = rest.digits(4), month = rest.take('-') ? rest.digits(2) : -1;
    if (year < 0 || month < 0) refuse(text);
    const chrono::year_month in{chrono::year(year), chrono::month(static_cast<unsigned>(month))};
    if (!in.ok()) fail("no such month: '{}'", printable(text, 60));
    if (rest.at_end())
        return {TimeUnit::month,
                static_cast<double>((in - chrono::year_month(chrono::year(1970), chrono::January)).count())};
    const int day = rest.take('-') ? rest.digits(2) : -1;
    if (day < 0) refuse(text);
    const chrono::year_month_day date = in / chrono::day(static_cast<unsigned>(day));
    if (!date.ok()) fail("no such date: '{}'", printable(text, 60));
    if (rest.at_end()) return {TimeUnit::day, days_since_1970(date)};
    if (!rest.take('T') && !rest.take(' ')) refuse(text);
    return {TimeUnit::second, 86400 * days_since_1970(date) + time_of_day(rest, text)};
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
    const double days = std::floor(moment.value / 86400);
    const int seconds = static_cast<int>(moment.value - 86400 * days);
    const std::string date = text_of(date_of(days));
    const std::string minutes = fmt::format("{}T{:02}:{:02}", date, seconds / 3600, seconds / 60 % 60);
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
    return fmt::format("{:.10g} {}{}", step, glassbox::name(unit), step == 1 ? "" : "s");
}

index_t TimeAxis::steps_of_a_season() const {
    const double a_season = unit == TimeUnit::month    ? 12
                            : unit == TimeUnit::second ? 86400
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

// Dates as months, where they are months apart.
int turned_into_months(std::vector<Moment>& moments) {
    if (moments.size() < 2 || moments[0].unit != TimeUnit::day) return 0;
    const int day = day_of_months(moments);
    if (day == 0) return 0;
    for (Moment& moment : moments) {
        const chrono::year_month_day date = date_of(moment.value);
        const chrono::months since = chrono::year_month(date.year(), date.month()) -
                                     chrono::year_month(chrono::year(1970), chrono::January);
        moment = {TimeUnit::month, static_cast<double>(since.count())};
    }
    return day;
}

double median(std::vector<double> numbers) {
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>((numbers.size() - 1) / 2);
    std::nth_element(numbers.begin(), middle, numbers.end());
    return *middle;
}

}  // namespace

Spacing spacing_of(const std::vector<Moment>& given, const std::vector<index_t>& lines) {
    Spacing spacing;
    std::vector<Moment> moments = given;
    spacing.times.day = turned_into_months(moments);
    spacing.times.unit = moments.empty() ? TimeUnit::number : moments[0].unit;
    spacing.times.first = moments.empty() ? 0 : moments[0].value;
    spacing.rows.assign(moments.empty() ? 0 : 1, 0);
    std::vector<double> distances;
    for (std::size_t i = 1; i < moments.size(); ++i) {
        distances.push_back(moments[i].value - moments[i - 1].value);
        if (!(distances.back() > 0))
            fail("line {}: {} does not follow {}: increasing times expected", lines[i], written(given[i]),
                 written(given[i - 1]));
    }
    if (distances.empty()) return spacing;
    const double step = median(distances), tolerance = spacing.times.unit == TimeUnit::number ? 0.05 : 1e-9;
    for (std::size_t i = 1; i < moments.size(); ++i) {
        const double steps = std::round(distances[i - 1] / step);
        // Written so that NaN, of times at both ends of what a number can be, does not pass.
        if (!(steps >= 1 && steps <= 1e9 && std::abs(distances[i - 1] / step - steps) <= tolerance))
            fail("line {}: from {} to {}: evenly spaced times expected, and most are {} apart", lines[i],
                 written(given[i - 1]), written(given[i]),
                 TimeAxis{spacing.times.unit, 0, step, 0}.step_name());
        spacing.rows.push_back(spacing.rows.back() + static_cast<index_t>(steps));
    }
    spacing.times.step =
        (moments.back().value - moments.front().value) / static_cast<double>(spacing.rows.back());
    return spacing;
}

}  // namespace glassbox
