#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/tensor/real.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

// What the times of a series count: plain numbers, or seconds, days or months of the calendar.
enum class TimeUnit { number, second, day, month };
template <>
struct EnumWords<TimeUnit> {
    static constexpr const char* what = "time unit";
    static constexpr Word<TimeUnit> all[] = {{TimeUnit::number, "number"},
                                             {TimeUnit::second, "second"},
                                             {TimeUnit::day, "day"},
                                             {TimeUnit::month, "month"}};
};

// How a column of times is read. Automatic: 20200131 and 1964.1 are dates if all others are; whether
// 01/02/2020 is in January is read from the other rows, or refused.
enum class TimesAs { automatic, number, day_first, month_first };
template <>
struct EnumWords<TimesAs> {
    static constexpr const char* what = "times";
    static constexpr Word<TimesAs> all[] = {{TimesAs::automatic, "auto"},
                                            {TimesAs::number, "number"},
                                            {TimesAs::day_first, "day-first"},
                                            {TimesAs::month_first, "month-first"}};
};

// One time as written in a file: a number (1749, 1958.25), a month (1958-03, Jan 1990), a quarter (1970Q1), a
// date (1958-03-29, 29.03.1958, 1958/3/29, 2020-W05), or a date with a time of day (1958-03-29T12:00,
// 1958-03-29 12:00:30, 1:00 PM; a zone may follow).
struct Moment {
    TimeUnit unit = TimeUnit::number;
    double value = 0;  // the number, or seconds, days or months since 1970-01-01
};

// Throws Error with the reason: "no such date: '2023-02-30'". Zones are left out.
Moment parse_moment(std::string_view text);
std::string written(const Moment& moment);

// Evenly spaced times: first, first + step, first + 2 step, … without an end. Row t of a series was measured
// at name(t).
struct TimeAxis {
    TimeUnit unit = TimeUnit::number;
    double first = 0, step = 1;
    int day = 0;  // of months: the day that dates had, 1 to 31, where 31 is the last; 0: dates had no day

    std::string name(index_t t) const;  // "1958-03-29"; also for t beyond the series' end
    std::string step_name() const;      // "7 days", "1 month", "0.5"
    // A year of months or weeks, also of decimal years; a week of days, a day of hours; 0: none.
    index_t steps_of_a_season() const;
};

// The rows of an evenly spaced series, some of which may be absent.
struct Spacing {
    TimeAxis times;
    std::vector<index_t> rows;  // the row of each moment, increasing from 0
    std::string note = {};      // how times that are not quite even were taken
};

// The even spacing of increasing moments. Every distance must be a whole multiple of the median one (within 5
// % for plain numbers, which may be rounded: their step is the mean). Dates are months apart if all have the
// same day of the month or are the last of their month. Unless `exact`, the first or last working days of
// months also are, and other times may be 15 % of a step off. lines[i] is the line of moment i in its file;
// throws Error that names it.
Spacing spacing_of(const std::vector<Moment>& moments, const std::vector<index_t>& lines, bool exact = false);

}  // namespace glassbox
