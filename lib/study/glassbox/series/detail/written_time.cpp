#include <glassbox/series/detail/written_time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

namespace glassbox::detail {

namespace chrono = std::chrono;

WrittenTime WrittenTime::with_day_first() const {
    WrittenTime other = *this;
    std::swap(other.month, other.day);
    return other;
}

namespace {

constexpr std::array<std::string_view, 12> months{"january",   "february", "march",    "april",
                                                  "may",       "june",     "july",     "august",
                                                  "september", "october",  "november", "december"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Reads digits, words and marks from the front of a text. Takes only what is there.
class Cursor {
  public:
    explicit Cursor(std::string_view text) : text_(text) {}

    bool at_end() const { return text_.empty(); }
    bool take(char c) {
        if (text_.empty() || text_.front() != c) return false;
        text_.remove_prefix(1);
        return true;
    }
    bool take_either(char upper) {  // whatever its case
        return take(upper) || take(static_cast<char>(upper - 'A' + 'a'));
    }
    // A letter that a digit follows: Q1, W05.
    bool take_before_digit(char upper) {
        Cursor next = *this;
        if (!next.take_either(upper) || next.at_end() || !is_digit(next.text_.front())) return false;
        *this = next;
        return true;
    }
    // One of these marks; 0 without one.
    char mark(std::string_view marks) {
        if (text_.empty() || marks.find(text_.front()) == std::string_view::npos) return 0;
        const char found = text_.front();
        text_.remove_prefix(1);
        return found;
    }
    bool spaces() {
        const bool any = take(' ');
        while (take(' ')) {
        }
        return any;
    }
    // A run of `least` to `most` digits.
    std::optional<int> digits(std::size_t min_count, std::size_t max_count) {
        std::size_t count = 0;
        while (count < text_.size() && is_digit(text_[count])) ++count;
        if (count < min_count || count > max_count) return {};
        int number = 0;
        for (const char c : text_.substr(0, count)) number = 10 * number + (c - '0');
        text_.remove_prefix(count);
        return number;
    }
    // The first digits of a run that may be longer.
    std::optional<int> first_digits(std::size_t count) {
        Cursor first(text_.substr(0, count));
        const auto number = first.digits(count, count);
        if (number) skip(count);
        return number;
    }
    // January, Jan, Jan., Sept: its number from 1.
    std::optional<int> month_name() {
        std::size_t count = 0;
        while (count < text_.size() && is_letter(text_[count])) ++count;
        std::string word(text_.substr(0, count));
        for (char& c : word)
            if (c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        for (std::size_t i = 0; i < months.size(); ++i) {
            const bool is_short = count == 3 || (count == 4 && word == "sept");
            if (count < 3 || !months[i].starts_with(word) || !(is_short || word == months[i])) continue;
            text_.remove_prefix(count);
            take('.');
            return static_cast<int>(i) + 1;
        }
        return {};
    }
    // "Tue, ", "Tuesday ": before a date
    void skip_weekday() {
        constexpr std::array<std::string_view, 7> days{"monday", "tuesday",  "wednesday", "thursday",
                                                       "friday", "saturday", "sunday"};
        std::size_t count = 0;
        while (count < text_.size() && is_letter(text_[count])) ++count;
        std::string word(text_.substr(0, count));
        for (char& c : word)
            if (c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        const bool is_day = std::any_of(days.begin(), days.end(), [&](std::string_view day) {
            return count >= 3 && day.starts_with(word) && (count <= 5 || word == day);
        });
        if (!is_day) return;
        Cursor behind(text_.substr(count));
        behind.mark(",.");
        if (behind.spaces() && !behind.at_end()) *this = behind;
    }
    double fraction() {
        double value = 0, unit = 1;
        for (; !text_.empty() && is_digit(text_.front()); text_.remove_prefix(1))
            value += (text_.front() - '0') * (unit /= 10);
        return value;
    }
    std::string_view rest() const { return text_; }
    void skip(std::size_t count) { text_.remove_prefix(count); }

  private:
    std::string_view text_;
};

using Date = std::optional<WrittenTime>;

double days_of(chrono::sys_days day) { return static_cast<double>(day.time_since_epoch().count()); }

// ISO 8601: week 1 has the year's first Thursday.
double days_of_week(int year, int week, int day) {
    const chrono::sys_days fourth{chrono::year(year) / chrono::January / 4};
    const chrono::weekday at(fourth);
    return days_of(fourth) - static_cast<double>(at.iso_encoding() - 1) + 7.0 * (week - 1) + day - 1;
}

Date a_month(int year, int month) { return WrittenTime{TimeUnit::month, year, month, 1}; }
Date a_quarter(int year, int quarter) {
    if (quarter < 1 || quarter > 4) return {};
    return a_month(year, 3 * quarter - 2);
}
Date a_day(int year, int month, int day) { return WrittenTime{TimeUnit::day, year, month, day}; }

// What follows a year of four digits: -03-29, /03, Q1, -W05, -031, M01, :1, Jan …
Date after_year(Cursor& c, int year) {
    const char mark = c.mark("-/.: ");
    if (mark == ' ') c.spaces();
    if (c.take_before_digit('Q'))
        if (const auto quarter = c.digits(1, 1)) return a_quarter(year, *quarter);
    if (mark == 0 || mark == '-') {
        if (c.take_before_digit('M'))
            if (const auto month = c.digits(1, 2)) return a_month(year, *month);
        if (c.take_before_digit('W')) {
            const auto week = c.first_digits(2);
            const bool has_day = week && (mark == 0 ? !c.at_end() && is_digit(c.rest()[0]) : c.take('-'));
            const auto day = has_day ? c.digits(1, 1) : std::optional(1);
            if (!week || *week < 1 || *week > 53 || !day || *day < 1 || *day > 7) return {};
            WrittenTime time{TimeUnit::day, year};
            time.days = days_of_week(year, *week, *day);
            return time;
        }
    }
    if (mark == 0) return {};
    if (mark == ':') {
        const auto number = c.digits(1, 2);
        if (!number) return {};
        WrittenTime time{TimeUnit::month, year, *number};
        time.is_quarter_or_month = true;
        return time;
    }
    if (const auto month = c.month_name()) {
        Cursor before = c;
        if (c.mark("-/. "))
            if (const auto day = c.digits(1, 2)) return a_day(year, *month, *day);
        c = before;
        return a_month(year, *month);
    }
    if (mark == '-')
        if (const auto day = c.digits(3, 3)) {
            if (*day < 1 || *day > 366) return {};
            WrittenTime time{TimeUnit::day, year};
            time.days = days_of(chrono::sys_days(chrono::year(year) / chrono::January / 1)) + *day - 1;
            return time;
        }
    const auto month = mark == ' ' ? std::nullopt : c.digits(1, 2);
    if (!month) return {};
    Cursor before = c;
    if (c.take(mark))
        if (const auto day = c.digits(1, 2)) return a_day(year, *month, *day);
    c = before;
    return mark == '.' ? Date() : a_month(year, *month);
}

[[noreturn]] void refuse_short_year(std::string_view text) {
    fail("expected a four-digit year, as in 1958-03-29, got '{}'", printable(text, 60));
}

// 29.03.1958, 03/1958, 29-Mar-1958, 1Q1990; "01/02/1958" is left open.
Date after_day_or_month(Cursor& c, int first, std::string_view text) {
    if (c.take_either('Q')) {
        c.mark("-/ ");
        const auto year = c.digits(4, 4);
        return year ? a_quarter(*year, first) : Date();
    }
    const char mark = c.mark("-/. ");
    if (mark == 0) return {};
    if (const auto month = c.month_name()) {
        c.mark("-/, ");
        c.spaces();
        if (const auto year = c.digits(4, 4)) return a_day(*year, *month, first);
        if (c.digits(2, 2)) refuse_short_year(text);
        return {};
    }
    if (mark == ' ') return {};
    if (const auto year = c.digits(4, 4)) return mark == '.' ? Date() : a_month(*year, first);
    const auto second = c.digits(1, 2);
    if (!second || !c.take(mark)) return {};
    const auto year = c.digits(4, 4);
    if (!year && c.digits(2, 2)) refuse_short_year(text);
    if (!year) return {};
    if (mark == '.') return a_day(*year, *second, first);
    WrittenTime time{TimeUnit::day, *year, first, *second};
    time.is_open = first != *second;
    return time;
}

// Jan 1990, Jan-1-1995, January 1, 1995
Date after_month_name(Cursor& c, int month, std::string_view text) {
    c.mark("-/, ");
    c.spaces();
    if (const auto year = c.digits(4, 4)) return a_month(*year, month);
    const auto day = c.digits(1, 2);
    if (!day) return {};
    if (c.at_end()) refuse_short_year(text);
    c.mark("-/, ");
    c.spaces();
    const auto year = c.digits(4, 4);
    return year ? a_day(*year, month, *day) : Date();
}

Date date_at(Cursor& c, std::string_view text) {
    c.skip_weekday();
    if (const auto year = c.digits(4, 4)) return after_year(c, *year);
    if (const auto first = c.digits(1, 2)) return after_day_or_month(c, *first, text);
    if (const auto month = c.month_name()) return after_month_name(c, *month, text);
    if (!c.take_either('Q')) return {};
    const auto quarter = c.digits(1, 1);
    c.mark("-/ ");
    const auto year = c.digits(4, 4);
    return quarter && year ? a_quarter(*year, *quarter) : Date();
}

// Z, UTC, +01:00, +0100, +01
bool take_zone(Cursor& c, WrittenTime& time) {
    c.spaces();
    if (c.at_end()) return true;
    for (const std::string_view utc : {"Z", "UTC", "GMT"})
        if (c.rest() == utc) {
            c.skip(utc.size());
            time.zone = 0;
            return true;
        }
    const char sign = c.mark("+-");
    auto hours = c.digits(2, 2);
    auto minutes = hours && c.take(':') ? c.digits(2, 2) : std::optional(0);
    if (!hours)
        if (const auto both = c.digits(4, 4)) hours = *both / 100, minutes = *both % 100;
    if (sign == 0 || !hours || !minutes || !c.at_end()) return false;
    time.zone = (sign == '-' ? -1 : 1) * (60 * *hours + *minutes);
    return true;
}

// 12:00, 12:00:30.250, 1:00 PM; else false.
bool take_time_of_day(Cursor& c, WrittenTime& time, std::string_view text) {
    auto hour = c.digits(1, 2);
    const auto minute = hour && c.take(':') ? c.digits(2, 2) : std::nullopt;
    const auto second = minute && c.take(':') ? c.digits(2, 2) : std::optional(0);
    if (!hour || !minute || !second) return false;
    const double fraction = c.mark(".,") ? c.fraction() : 0;
    Cursor half = c;
    half.spaces();
    const bool is_afternoon = half.take_either('P'), is_morning = !is_afternoon && half.take_either('A');
    if ((is_afternoon || is_morning) && half.take_either('M')) {
        c = half;
        if (*hour < 1 || *hour > 12) fail("no such time of day: '{}'", printable(text));
        hour = *hour % 12 + (is_afternoon ? 12 : 0);
    }
    const bool is_end_of_day = *hour == 24 && *minute == 0 && *second == 0 && fraction == 0;
    if ((*hour > 23 && !is_end_of_day) || *minute > 59 || *second > 59)
        fail("no such time of day: '{}'", printable(text));
    time.unit = TimeUnit::second;
    time.seconds = 3600.0 * *hour + 60.0 * *minute + *second + fraction;
    return take_zone(c, time);
}

}  // namespace

std::optional<WrittenTime> written_time(std::string_view text) {
    Cursor c(text);
    Date date = date_at(c, text);
    if (!date) {
        Cursor alone(text);
        WrittenTime time;
        if (take_time_of_day(alone, time, text))
            fail("expected a date, as in 1958-03-29 12:00, got only a time of day: '{}'",
                 printable(text, 60));
        return {};
    }
    if (c.at_end()) return date;
    if (date->unit != TimeUnit::day || !(c.take('T') || c.mark(" ,"))) return {};
    c.spaces();
    return take_time_of_day(c, *date, text) ? date : Date();
}

Moment moment_of(const WrittenTime& time, std::string_view text) {
    const chrono::year_month in{chrono::year(time.year), chrono::month(static_cast<unsigned>(time.month))};
    if (!time.days && !in.ok()) fail("no such month: '{}'", printable(text, 60));
    if (time.unit == TimeUnit::month)
        return {TimeUnit::month,
                static_cast<double>((in - chrono::year_month(chrono::year(1970), chrono::January)).count())};
    const chrono::year_month_day date = in / chrono::day(static_cast<unsigned>(time.day));
    if (!time.days && !date.ok()) fail("no such date: '{}'", printable(text, 60));
    const double days = time.days ? *time.days : days_of(chrono::sys_days(date));
    if (time.unit == TimeUnit::day) return {TimeUnit::day, days};
    return {TimeUnit::second, 86400 * days + time.seconds};
}

bool may_be_clock_change(const Moment& moment) {
    if (moment.unit != TimeUnit::second || !(std::abs(moment.value) < 1e12)) return false;
    constexpr double of_a_day = 86400, latest = 4 * 3600.0;
    const double day = std::floor(moment.value / of_a_day);
    if (moment.value - day * of_a_day >= latest) return false;
    const std::chrono::sys_days date{std::chrono::days{static_cast<int>(day)}};
    const auto month = static_cast<unsigned>(std::chrono::year_month_day(date).month());
    return std::chrono::weekday(date) == std::chrono::Sunday &&
           (month == 3 || month == 4 || (month >= 9 && month <= 11));
}

}  // namespace glassbox::detail
