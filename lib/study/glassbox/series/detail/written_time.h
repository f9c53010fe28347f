#pragma once
#include <optional>
#include <string_view>

#include <glassbox/series/times.h>

namespace glassbox::detail {

// A date as in a file, whose order of day and month may be open: 01/02/2020.
struct WrittenTime {
    TimeUnit unit = TimeUnit::day;  // month, day or second
    int year = 0, month = 0, day = 1;
    bool is_open = false;  // day and month may be the other way round: month holds the first of them
    bool is_quarter_or_month = false;  // 1964:1: month holds it
    std::optional<double> days{};  // of a week or the day of a year, which have no month: since 1970-01-01
    double seconds = 0;            // since midnight
    std::optional<int> zone{};     // minutes ahead of UTC

    bool is_day_first_only() const { return is_open && month > 12; }
    bool is_month_first_only() const { return is_open && day > 12; }
    WrittenTime with_day_first() const;  // of an open one, which holds month first
};

// "1958-03-29", "1958/3/29 12:00", "29.03.1958", "Jan 1990", "1970Q1", "2020-W05" … ; none unless it is a
// date in words or digits with marks between them. Throws Error for one that is understood but not accepted:
// a year of two digits, only a time of day.
std::optional<WrittenTime> written_time(std::string_view text);

// Throws Error for an impossible date: 2023-02-30. `text` is shown. Zones are left out.
Moment moment_of(const WrittenTime& time, std::string_view text);

// Whether clocks may be put forward or back about this time, as they are in most places: on Sundays before
// four o'clock, in March, April, September, October or November. Local times lack an hour then, or have one
// twice.
bool may_be_clock_change(const Moment& moment);

}  // namespace glassbox::detail
