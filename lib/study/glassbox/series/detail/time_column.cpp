#include <glassbox/series/detail/time_column.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include <glassbox/io/text.h>
#include <glassbox/series/detail/written_time.h>
#include <glassbox/tensor/format.h>

namespace glassbox::detail {
namespace {

using Texts = std::vector<std::string>;

constexpr int first_year = 1600, last_year = 2200;  // of dates that are written as numbers

bool is_number(const std::string& cell) { return number_in(cell).has_value(); }

bool are_digits(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

int value_of(std::string_view digits) {
    int value = 0;
    for (const char c : digits) value = 10 * value + (c - '0');
    return value;
}

std::optional<Moment> moment_in(WrittenTime time) {
    if (time.year < first_year || time.year > last_year) return {};
    try {
        return moment_of(time, "");
    } catch (const Error&) {
        return {};
    }
}

// ---- dates that are also numbers -------------------------------------------------------------------------

// 199001, 20200131, 2020013112, 202001311200, 20200131120000; programs may have written them as 20200131.0.
std::optional<Moment> compact(std::string_view cell) {
    if (cell.ends_with(".0")) cell.remove_suffix(2);
    const std::size_t size = cell.size();
    if (!are_digits(cell) || size < 6 || size > 14 || size % 2 != 0) return {};
    const auto two = [&](std::size_t at) { return at < size ? value_of(cell.substr(at, 2)) : 0; };
    WrittenTime time{TimeUnit::month, value_of(cell.substr(0, 4)), two(4)};
    if (size >= 8) time.unit = TimeUnit::day, time.day = two(6);
    if (size >= 10) {
        if (two(8) > 23 || two(10) > 59 || two(12) > 59) return {};
        time.unit = TimeUnit::second, time.seconds = 3600.0 * two(8) + 60.0 * two(10) + two(12);
    }
    return moment_in(time);
}

struct DecimalParts {
    std::string_view before, after;  // the decimal point
};

std::optional<DecimalParts> parts_of(std::string_view cell) {
    const std::size_t point = cell.find('.');
    if (point == std::string_view::npos) return {};
    const DecimalParts parts{cell.substr(0, point), cell.substr(point + 1)};
    if (!are_digits(parts.before) || !are_digits(parts.after)) return {};
    return parts;
}

// 1964.1 … 1964.4
std::optional<Moment> quarter(std::string_view cell) {
    const auto parts = parts_of(cell);
    if (!parts || parts->before.size() != 4 || parts->after.size() != 1) return {};
    const int number = value_of(parts->after);
    if (number < 1 || number > 4) return {};
    return moment_in({TimeUnit::month, value_of(parts->before), 3 * number - 2});
}

// 1964.01 … 1964.12, where 1964.1 is October, whose zero a program has cut off
std::optional<Moment> month_after_point(std::string_view cell) {
    const auto parts = parts_of(cell);
    if (!parts || parts->before.size() != 4 || parts->after.size() > 2) return {};
    const int number = value_of(parts->after) * (parts->after.size() == 1 ? 10 : 1);
    return moment_in({TimeUnit::month, value_of(parts->before), number});
}

// 01.1990
std::optional<Moment> month_before_year(std::string_view cell) {
    const auto parts = parts_of(cell);
    if (!parts || parts->before.size() > 2 || parts->after.size() != 4) return {};
    return moment_in({TimeUnit::month, value_of(parts->after), value_of(parts->before)});
}

// 2019301: a year and the day of it
std::optional<Moment> day_of_year(std::string_view cell) {
    if (cell.ends_with(".0")) cell.remove_suffix(2);
    if (!are_digits(cell) || cell.size() != 7) return {};
    const int day = value_of(cell.substr(4));
    auto first = moment_in({TimeUnit::day, value_of(cell.substr(0, 4)), 1, 1});
    if (!first || day < 1 || day > 366) return {};
    first->value += day - 1;
    return first;
}

// 202001 … 202053: a year and the week of it
std::optional<Moment> week_of_year(std::string_view cell) {
    if (cell.ends_with(".0")) cell.remove_suffix(2);
    if (!are_digits(cell) || cell.size() != 6) return {};
    const int year = value_of(cell.substr(0, 4)), week = value_of(cell.substr(4));
    if (year < first_year || year > last_year || week < 1 || week > 53) return {};
    try {
        const auto time = written_time(fmt::format("{}-W{:02}", year, week));
        return time ? std::optional(moment_of(*time, "")) : std::nullopt;
    } catch (const Error&) {
        return {};
    }
}

// A year of two digits: 200131
bool is_short_date(const std::string& cell) {
    return cell.size() == 6 && are_digits(cell) && compact("19" + cell).has_value();
}

struct NumberForm {
    const char* what;
    std::function<std::optional<Moment>(std::string_view)> read;
    bool (*fits)(const Texts& cells);  // whether numbers of this form can be taken for dates
};

std::size_t distinct_ends(const Texts& cells) {
    std::set<std::string> ends;
    for (const std::string& cell : cells) ends.insert(cell.substr(std::min(cell.find('.'), cell.size())));
    return ends.size();
}

bool of_one_length(const Texts& cells) {
    return std::all_of(cells.begin(), cells.end(),
                       [&](const std::string& cell) { return cell.size() == cells[0].size(); });
}
bool has_other_quarters(const Texts& cells) { return distinct_ends(cells) > 1; }
bool has_other_months(const Texts& cells) {
    const bool any_of_two = std::any_of(cells.begin(), cells.end(), [](const std::string& cell) {
        return cell.size() > 2 && cell[cell.size() - 3] == '.';
    });
    return any_of_two && distinct_ends(cells) > 2;
}
bool is_no_decimal(const Texts& cells) {
    return std::any_of(cells.begin(), cells.end(),
                       [](const std::string& cell) { return cell[0] == '0' || cell.back() != '0'; });
}

// Within one year the days are also even as numbers.
bool has_gaps(const Texts& cells);
bool have_days_of_years(const Texts& cells) { return of_one_length(cells) && has_gaps(cells); }

// Each the next one's, over the end of a year; 200130 may be a day of a year of two digits.
bool are_weeks(const Texts& cells) {
    bool has_next_year = false;
    for (std::size_t i = 1; i < cells.size(); ++i) {
        const double step = parse_moment(cells[i]).value - parse_moment(cells[i - 1]).value;
        const bool is_next_year = step == 100 - 51 || step == 100 - 52;  // 202053 → 202101
        if (step != 1 && !is_next_year) return false;
        has_next_year = has_next_year || is_next_year;
    }
    return has_next_year && !std::all_of(cells.begin(), cells.end(), is_short_date);
}

const std::vector<NumberForm>& number_forms() {
    static const std::vector<NumberForm> all = {{"dates", compact, of_one_length},
                                                {"weeks", week_of_year, are_weeks},
                                                {"days of years", day_of_year, have_days_of_years},
                                                {"quarters", quarter, has_other_quarters},
                                                {"months", month_after_point, has_other_months},
                                                {"months", month_before_year, is_no_decimal}};
    return all;
}

// Whether the distances of numbers are not all the same.
bool has_gaps(const Texts& cells) {
    std::set<double> distances;
    for (std::size_t i = 1; i < cells.size(); ++i)
        distances.insert(parse_moment(cells[i]).value - parse_moment(cells[i - 1]).value);
    return distances.size() > 1;
}

[[noreturn]] void refuse(const TimeCells& cells, std::size_t at, const std::string& reason) {
    fail("line {}, column '{}': {}", cells.lines[at], printable(cells.column), reason);
}

// Dates that are written as numbers; none if they are numbers.
std::optional<TimeColumn> dates_in_numbers(const TimeCells& cells, const std::string& as_option) {
    constexpr double nearly_all = 0.9;
    constexpr std::size_t many = 10;
    const Texts& texts = cells.texts;
    const auto count = static_cast<double>(texts.size());
    for (const NumberForm& form : number_forms()) {
        TimeColumn column;
        std::optional<std::size_t> other;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            if (const auto moment = form.read(texts[i])) column.moments.push_back(*moment);
            else if (!other) other = i;
        }
        const std::size_t found = column.moments.size();
        if (found < 2 || !form.fits(texts)) continue;
        const std::string& example = texts[other == 0 ? 1 : 0];
        if (!other) {
            column.notes.push_back(
                fmt::format("times such as {} are read as {}, {}; {} number takes them for numbers", example,
                            form.what, written(column.moments[0]), as_option));
            return column;
        }
        if (texts.size() >= many && static_cast<double>(found) >= nearly_all * count)
            refuse(cells, *other,
                   fmt::format(
                       "'{}' is not one of the {}, but {} of {} times are, such as {}; {} number takes all "
                       "of them for numbers",
                       texts[*other], form.what, found, texts.size(), example, as_option));
    }
    if (texts.size() > 2 && std::all_of(texts.begin(), texts.end(), is_short_date) && has_gaps(texts))
        refuse(cells, 0,
               fmt::format("expected a four-digit year, as in 20200131, got '{}'; {} number takes the times "
                           "for numbers",
                           texts[0], as_option));
    return {};
}

TimeColumn numbers(const TimeCells& cells) {
    TimeColumn column;
    for (std::size_t i = 0; i < cells.texts.size(); ++i) try {
            column.moments.push_back(parse_moment(cells.texts[i]));
        } catch (const Error& error) {
            refuse(cells, i, error.what());
        }
    return column;
}

// ---- dates -----------------------------------------------------------------------------------------------

enum class DateOrder { month_first, day_first };

// All moments in one order of day and month.
std::vector<Moment> in_order(const std::vector<WrittenTime>& times, const TimeCells& cells, DateOrder order) {
    std::vector<Moment> moments;
    for (std::size_t i = 0; i < times.size(); ++i) try {
            const bool turns = times[i].is_open && order == DateOrder::day_first;
            moments.push_back(moment_of(turns ? times[i].with_day_first() : times[i], cells.texts[i]));
        } catch (const Error& error) {
            refuse(cells, i, error.what());
        }
    return moments;
}

// How many times there are from the first to the last; beyond all if they are not even.
index_t even_length(const std::vector<WrittenTime>& times, const TimeCells& cells, DateOrder order) {
    try {
        return spacing_of(in_order(times, cells, order), cells.lines, true).rows.back();
    } catch (const Error&) {
        return INT32_MAX;
    }
}

bool are_increasing(const std::vector<Moment>& moments) {
    return std::adjacent_find(moments.begin(), moments.end(), [](const Moment& a, const Moment& b) {
               return !(a.value < b.value);
           }) == moments.end();
}

// Dates of both orders: one with a day above 12 in either place; and those of a spreadsheet that swapped what
// it understood, 02/01/2021, and left 13/01/2021 unchanged.
void refuse_two_orders(const std::vector<WrittenTime>& times, const TimeCells& cells) {
    const auto first = [&](auto&& is) {
        return static_cast<std::size_t>(std::find_if(times.begin(), times.end(), is) - times.begin());
    };
    const std::size_t day = first([](const auto&time) { return time.is_day_first_only(); }),
                      month = first([](const auto&time) { return time.is_month_first_only(); }),
                      open = first([](const auto&time) {
                          return time.is_open && !time.is_day_first_only() && !time.is_month_first_only() &&
                                 time.day != time.month;
                      });
    const auto refuse_both = [&](std::size_t a, std::size_t b) {
        refuse(
            cells, std::max(a, b),
            fmt::format("'{}' has the {} first, and '{}' the {}: write all dates in one order, as 2021-01-31",
                        printable(cells.texts[a], 40), a == day ? "day" : "month",
                        printable(cells.texts[b], 40), a == day ? "month" : "day"));
    };
    if (day < times.size() && month < times.size()) refuse_both(day, month);
    const std::size_t certain = std::min(day, month);
    if (certain >= times.size() || open >= times.size()) return;
    const DateOrder order = day < times.size() ? DateOrder::day_first : DateOrder::month_first;
    std::vector<Moment> turned;
    for (std::size_t i = 0; i < times.size(); ++i) try {
            const bool is_certain = times[i].is_day_first_only() || times[i].is_month_first_only();
            const bool by_day = (order == DateOrder::day_first) == is_certain;
            turned.push_back(
                moment_of(times[i].is_open && by_day ? times[i].with_day_first() : times[i], cells.texts[i]));
        } catch (const Error&) {
            return;
        }
    if (times.size() < 3 || !are_increasing(turned) || are_increasing(in_order(times, cells, order))) return;
    refuse(
        cells, certain,
        fmt::format("'{}' has the {} first, and '{}' and similar ones are in order only with the {} first, "
                    "as when a spreadsheet converts some dates: write all in one order, as 2021-01-31",
                    printable(cells.texts[certain], 40), order == DateOrder::day_first ? "day" : "month",
                    printable(cells.texts[open], 40), order == DateOrder::day_first ? "month" : "day"));
}

// Of 01/02/2020: what other rows show, else what makes even times.
DateOrder order_of(const std::vector<WrittenTime>& times, const TimeCells& cells, TimesAs as,
                   const std::string& as_option) {
    if (as == TimesAs::day_first) return DateOrder::day_first;
    if (as == TimesAs::month_first) return DateOrder::month_first;
    const auto has = [&](auto&& is) { return std::any_of(times.begin(), times.end(), is); };
    const auto open = std::find_if(times.begin(), times.end(), [](const auto& time) { return time.is_open; });
    if (open == times.end()) return DateOrder::month_first;
    refuse_two_orders(times, cells);
    if (has([](const auto& time) { return time.is_day_first_only(); })) return DateOrder::day_first;
    if (has([](const auto& time) { return time.is_month_first_only(); })) return DateOrder::month_first;
    // The first days of months are also days with large gaps.
    const index_t by_month = even_length(times, cells, DateOrder::month_first),
                  by_day = even_length(times, cells, DateOrder::day_first);
    const auto at = static_cast<std::size_t>(open - times.begin());
    if (by_month <= 2 * by_day && by_day <= 2 * by_month)
        refuse(cells, at,
               fmt::format("day or month first? '{}' and the other times can be either; {} day-first or "
                           "month-first says which",
                           printable(cells.texts[at], 60), as_option));
    return by_day < by_month ? DateOrder::day_first : DateOrder::month_first;
}

// 1964:1 is a quarter, unless there is a 1964:01 or a 1964:5.
void settle_quarters(std::vector<WrittenTime>& times, const Texts& cells) {
    bool are_quarters = true;
    for (std::size_t i = 0; i < times.size(); ++i)
        if (times[i].is_quarter_or_month)
            are_quarters = are_quarters && times[i].month <= 4 && cells[i].find(":0") == std::string::npos;
    for (WrittenTime& time : times)
        if (time.is_quarter_or_month && are_quarters) time.month = 3 * time.month - 2;
}

// 2001/02, 2002/03: a year and the next one, and no months, of which each would be 13 after the last.
void refuse_seasons(const TimeCells& cells) {
    const auto is_season = [](const std::string& cell) {
        if ((cell.size() != 7 && cell.size() != 9) || !are_digits(cell.substr(0, 4))) return false;
        const std::string second = cell.substr(5);
        if ((cell[4] != '/' && cell[4] != '-') || !are_digits(second)) return false;
        const int next = value_of(cell.substr(0, 4)) + 1;
        return value_of(second) == (second.size() == 2 ? next % 100 : next);
    };
    if (cells.texts.size() < 2 || !std::all_of(cells.texts.begin(), cells.texts.end(), is_season)) return;
    refuse(cells, 0,
           fmt::format("'{}' and all others look like seasons, each from one year to the next: write the "
                       "first year alone, {}",
                       cells.texts[0], cells.texts[0].substr(0, 4)));
}

// Local times, unless the zones differ: then those of UTC. Midnight, every day, is a date.
std::vector<std::string> settle_zones(std::vector<Moment>& moments, const std::vector<WrittenTime>& times) {
    if (std::all_of(times.begin(), times.end(), [](const auto& time) { return time.seconds == 0; })) {
        for (Moment& moment : moments)
            if (moment.unit == TimeUnit::second) moment = {TimeUnit::day, moment.value / 86400};
        return {};
    }
    const bool differ =
        std::any_of(times.begin(), times.end(), [&](const auto& time) { return time.zone != times[0].zone; });
    if (!differ) return {};
    for (std::size_t i = 0; i < times.size(); ++i) moments[i].value -= 60.0 * times[i].zone.value_or(0);
    return {"times are in UTC: their zones differ"};
}

}  // namespace

TimeColumn time_column(const TimeCells& cells, TimesAs as, const std::string& as_option) {
    const Texts& texts = cells.texts;
    if (texts.empty()) return {};
    if (std::all_of(texts.begin(), texts.end(), is_number)) {
        auto dates = as == TimesAs::number ? std::nullopt : dates_in_numbers(cells, as_option);
        return dates ? *dates : numbers(cells);
    }
    refuse_seasons(cells);
    std::vector<WrittenTime> times;
    for (std::size_t i = 0; i < texts.size(); ++i) try {
            const auto time = is_number(texts[i]) ? std::nullopt : written_time(texts[i]);
            if (!time && !is_number(texts[i])) (void)parse_moment(texts[i]);  // names what is expected
            const bool is_alike = time && times.size() == i &&
                                  (i == 0 || (times[0].unit == time->unit &&
                                              times[0].zone.has_value() == time->zone.has_value()));
            if (is_number(texts[0]) ? !is_number(texts[i]) : i > 0 && !is_alike)
                fail("expected a time like {}, as in the first row, got '{}'", printable(texts[0], 60),
                     printable(texts[i], 60));
            if (time) times.push_back(*time);
        } catch (const Error& error) {
            refuse(cells, i, error.what());
        }
    settle_quarters(times, texts);
    TimeColumn column{in_order(times, cells, order_of(times, cells, as, as_option))};
    column.notes = settle_zones(column.moments, times);
    return column;
}

bool may_be_date(const std::string& text) {
    if (is_number(text)) return compact(text).has_value();
    try {
        return written_time(text).has_value();
    } catch (const Error&) {
        return false;
    }
}

bool are_dates(const Texts& cells) {
    if (cells.empty()) return false;
    if (std::all_of(cells.begin(), cells.end(), is_number)) {
        const NumberForm& digits = number_forms()[0];
        return cells.size() > 1 && digits.fits(cells) &&
               std::all_of(cells.begin(), cells.end(),
                           [&](const std::string& cell) { return digits.read(cell).has_value(); });
    }
    return std::all_of(cells.begin(), cells.end(),
                       [](const std::string& cell) { return !is_number(cell) && may_be_date(cell); });
}

}  // namespace glassbox::detail
