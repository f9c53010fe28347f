// Columns of times as public files have them: every date is read as one, and what is none stays a number.
#include <glassbox/series/times.h>

#include "series/series_support.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

// The first and the last time, the step and the season: "1964-01 … 1964-10, 3 months, 4".
std::string read(const Texts& times, TimesAs as = TimesAs::automatic) {
    const Series series = with_times(times).read({.times_as = as});
    return fmt::format("{} … {}, {}, {}", series.times.name(0), series.times.name(series.length() - 1),
                       series.times.step_name(), series.times.steps_of_a_season());
}

}  // namespace

TEST_CASE("times: each way to write a date is the date") {
    for (const auto& [text, date] : std::vector<std::pair<std::string, std::string>>{
             {"1958/03/29", "1958-03-29"},
             {"1958/3/9", "1958-03-09"},
             {"1958-3-9", "1958-03-09"},
             {"1958.03.29", "1958-03-29"},
             {"29.03.1958", "1958-03-29"},
             {"9.3.1958", "1958-03-09"},
             {"29-Mar-1958", "1958-03-29"},
             {"29 March 1958", "1958-03-29"},
             {"Mar 29, 1958", "1958-03-29"},
             {"Mar-29-1958", "1958-03-29"},
             {"1958-Mar-29", "1958-03-29"},
             {"Jan 1990", "1990-01"},
             {"January 1990", "1990-01"},
             {"1991 Jul", "1991-07"},
             {"Sept. 1991", "1991-09"},
             {"03/1958", "1958-03"},
             {"1958/03", "1958-03"},
             {"1990M01", "1990-01"},
             {"1990-M1", "1990-01"},
             {"1970Q1", "1970-01"},
             {"1970 Q2", "1970-04"},
             {"1970-Q3", "1970-07"},
             {"1970:Q4", "1970-10"},
             {"Q4 1970", "1970-10"},
             {"4Q1970", "1970-10"},
             {"2020-W01", "2019-12-30"},
             {"2020-W05-5", "2020-01-31"},
             {"2020W055", "2020-01-31"},
             {"2020-031", "2020-01-31"},
             {"29.03.1958 12:30:15", "1958-03-29T12:30:15"},
             {"1958/03/29 1:30", "1958-03-29T01:30"},
             {"1958-03-29 1:30 PM", "1958-03-29T13:30"},
             {"1958-03-29 12:30:00 am", "1958-03-29T00:30"},
             {"1958-03-29T12:30:00.250", "1958-03-29T12:30:00.250"},
             {"1958-03-29 12:30:00+02:00", "1958-03-29T12:30"},
             {"1958-03-29 12:30:00-0500", "1958-03-29T12:30"},
             {"1958-03-29 12:30 UTC", "1958-03-29T12:30"}}) {
        INFO(text);
        CHECK(written(parse_moment(text)) == date);
    }
    check_error([] { (void)parse_moment("29/03/58"); },
                "expected a four-digit year, as in 1958-03-29, got '29/03/58'");
    check_error([] { (void)parse_moment("29-Mar-58"); },
                "expected a four-digit year, as in 1958-03-29, got '29-Mar-58'");
    check_error([] { (void)parse_moment("12:30"); },
                "expected a date, as in 1958-03-29 12:00, got only a time of day: '12:30'");
    check_error([] { (void)parse_moment("01/02/2020"); }, "day or month first? '01/02/2020' can be either");
    for (const char* text : {"1970Q5", "1990M13", "13/1990", "2020-W54", "31.02.2020", "2020-367", "Foo 1990",
                             "29.03.", "Q1", "1990 01", "1958-03-29 25:00", "13:00 PM"}) {
        INFO(text);
        CHECK_THROWS_AS(parse_moment(text), Error);
    }
}

TEST_CASE("times: dates that are numbers are dates, with their season, and the notes say so") {
    CHECK(read({"20200130", "20200131", "20200201", "20200203"}) == "2020-01-30 … 2020-02-03, 1 day, 7");
    CHECK(read({"20200130.0", "20200131.0", "20200201.0"}) == "2020-01-30 … 2020-02-01, 1 day, 7");
    CHECK(read({"199011", "199012", "199101"}) == "1990-11 … 1991-01, 1 month, 12");
    CHECK(read({"1964.1", "1964.2", "1964.3", "1964.4", "1965.1"}) == "1964-01 … 1965-01, 3 months, 4");
    CHECK(read({"1964.09", "1964.1", "1964.11", "1964.12", "1965.01"}) == "1964-09 … 1965-01, 1 month, 12");
    CHECK(read({"11.1990", "12.1990", "01.1991"}) == "1990-11 … 1991-01, 1 month, 12");
    CHECK(read({"2020013123", "2020020100"}) == "2020-01-31T23:00 … 2020-02-01T00:00, 3600 seconds, 24");
    CHECK(read({"202001312345", "202002010000"}) == "2020-01-31T23:45 … 2020-02-01T00:00, 900 seconds, 96");
    CHECK(with_times({"19580329", "19580405"}).read().notes ==
          Texts{"times such as 19580329 are read as dates, 1958-03-29; SeriesColumns::times_as number takes "
                "them for numbers"});
    CHECK(read({"20200101", "20200102"}, TimesAs::number) == "20200101 … 20200102, 1, 0");
}

TEST_CASE("times: numbers that are no dates stay numbers") {
    for (const Texts& times : std::vector<Texts>{{"1749", "1750"},
                                                 {"1949.000", "1949.083", "1949.167"},
                                                 {"1964.1", "1964.2", "1964.3", "1964.4", "1964.5"},
                                                 {"1964.25", "1964.5", "1964.75", "1965"},
                                                 {"1964.01", "1964.02", "1964.13"},
                                                 {"20200199", "20200200", "20200201"},
                                                 {"100000", "100001"},
                                                 {"1577836800", "1577840400"},
                                                 {"43831", "43832"},
                                                 {"1.2000", "2.2000", "3.2000"},
                                                 {"199099", "199100"}}) {
        INFO(times[0]);
        CHECK(with_times(times).read().times.unit == TimeUnit::number);
    }
}

TEST_CASE("times: decimal years have the season of their months or quarters") {
    CHECK(read({"1949.000", "1949.083", "1949.167", "1949.250"}) == "1949 … 1949.25, 0.0833333, 12");
    CHECK(read({"1949", "1949.25", "1949.5", "1949.75"}) == "1949 … 1949.75, 0.25, 4");
    CHECK(read({"49", "49.25", "49.5"}) == "49 … 49.5, 0.25, 0");
    CHECK(read({"1949", "1950", "1951"}) == "1949 … 1951, 1, 0");
}

TEST_CASE("times: a date that is none among others is refused with its line, and with the way out") {
    Texts months;
    for (int month = 1; month <= 13; ++month) months.push_back(fmt::format("1990{:02}", month));
    with_times(months).check_refused(
        "line 14, column 'date': '199013' is not one of the dates, but 12 of 13 times are, such as 199001; "
        "SeriesColumns::times_as number takes all of them for numbers");
    with_times({"200130", "200131", "200201"})
        .check_refused(
            "line 2, column 'date': expected a four-digit year, as in 20200131, got '200130'; "
            "SeriesColumns::times_as number takes the times for numbers");
}

TEST_CASE("times: of 01/02/2020 other rows say which is the day, else even times do, else nobody guesses") {
    CHECK(read({"12/01/2020", "13/01/2020", "14/01/2020"}) == "2020-01-12 … 2020-01-14, 1 day, 7");
    CHECK(read({"01/12/2020", "01/13/2020", "01/14/2020"}) == "2020-01-12 … 2020-01-14, 1 day, 7");
    Texts months;
    for (const char* year : {"1990", "1991"})
        for (int month = 1; month <= 12; ++month) months.push_back(fmt::format("{:02}/01/{}", month, year));
    CHECK(read(months) == "1990-01-01 … 1991-12-01, 1 month, 12");
    with_times({"01/01/2020", "01/02/2020", "01/03/2020"})
        .check_refused(
            "line 3, column 'date': day or month first? '01/02/2020' and the other times can be either; "
            "SeriesColumns::times_as day-first or month-first says which");
    CHECK(read({"01/01/2020", "01/02/2020"}, TimesAs::day_first) == "2020-01-01 … 2020-02-01, 1 month, 12");
    CHECK(read({"01/01/2020", "01/02/2020"}, TimesAs::month_first) == "2020-01-01 … 2020-01-02, 1 day, 7");
    CHECK(read({"1/31/2020 0:00", "1/31/2020 1:00"}) ==
          "2020-01-31T00:00 … 2020-01-31T01:00, 3600 seconds, 24");
}

TEST_CASE("times: midnight on every day is a date, and daily values have a week") {
    CHECK(read({"2020-01-30 00:00:00", "2020-01-31 00:00:00"}) == "2020-01-30 … 2020-01-31, 1 day, 7");
    CHECK(read({"2020-01-30T00:00:00Z", "2020-01-31T00:00:00Z"}) == "2020-01-30 … 2020-01-31, 1 day, 7");
    CHECK(read({"2020-03-28 00:00:00-05:00", "2020-03-29 00:00:00-04:00"}) ==
          "2020-03-28 … 2020-03-29, 1 day, 7");
    CHECK(read({"2020-01-01 00:00:00", "2020-02-01 00:00:00"}) == "2020-01-01 … 2020-02-01, 1 month, 12");
    CHECK(read({"2020-01-30 16:00", "2020-01-31 16:00"}) ==
          "2020-01-30T16:00 … 2020-01-31T16:00, 86400 seconds, 7");
    CHECK(read({"2020-03-29 01:00+01:00", "2020-03-29 03:00+02:00"}) ==
          "2020-03-29T00:00 … 2020-03-29T01:00, 3600 seconds, 24");
    CHECK(read({"2020-01-01 00:00:00.0", "2020-01-01 00:00:00.2", "2020-01-01 00:00:00.4"}) ==
          "2020-01-01T00:00 … 2020-01-01T00:00:00.400, 0.2 seconds, 432000");
    with_times({"2020-01-30 00:00Z", "2020-01-31 00:00"})
        .check_refused(
            "line 3, column 'date': expected a time like 2020-01-30 00:00Z, as in the first row, got "
            "'2020-01-31 "
            "00:00'");
}

TEST_CASE("times: 1964:1 is a quarter, 1964:01 a month") {
    CHECK(read({"1964:1", "1964:2", "1964:3", "1964:4", "1965:1"}) == "1964-01 … 1965-01, 3 months, 4");
    CHECK(read({"1964:01", "1964:02", "1964:03"}) == "1964-01 … 1964-03, 1 month, 12");
    CHECK(read({"1964:4", "1964:5"}) == "1964-04 … 1964-05, 1 month, 12");
}

TEST_CASE("times: rows in another order say what is wrong") {
    with_times({"2020-01-03", "2020-01-02", "2020-01-01"})
        .check_refused(
            "line 3: expected increasing times, got 2020-01-02 after 2020-01-03; the last row is the oldest: "
            "reverse the rows");
    with_times({"2020-01-01", "2020-01-02", "2020-01-01", "2020-01-02"})
        .check_refused(
            "line 4: expected increasing times, got 2020-01-01 after 2020-01-02; are several series stacked? "
            "Only one can be read: leave out the rows of the others");
}

TEST_CASE("times: a day's end is the next one's beginning, and a weekday before a date says no more") {
    CHECK(read({"2021-03-01 22:00", "2021-03-01 23:00", "2021-03-01 24:00", "2021-03-02 01:00"}) ==
          "2021-03-01T22:00 … 2021-03-02T01:00, 3600 seconds, 24");
    CHECK(read({"Tue, 01 Jan 2019", "Wed, 02 Jan 2019", "Thu, 03 Jan 2019"}) ==
          "2019-01-01 … 2019-01-03, 1 day, 7");
    CHECK(read({"Tuesday 1 January 2019", "Wednesday 2 January 2019"}) ==
          "2019-01-01 … 2019-01-02, 1 day, 7");
    with_times({"2021-03-01 24:30", "2021-03-02 00:30"})
        .check_refused("line 2, column 'date': no such time of day: '2021-03-01 24:30'");
}

TEST_CASE("times: 2019365 is a day of a year, where the next year follows") {
    CHECK(read({"2019363", "2019364", "2019365", "2020001", "2020002"}) ==
          "2019-12-29 … 2020-01-02, 1 day, 7");
    CHECK(read({"2019001", "2019002", "2019003"}) == "2019001 … 2019003, 1, 0");  // even as numbers, too
    CHECK(read({"1000001", "1000005", "1000009"}) == "1000001 … 1000009, 4, 0");
}

TEST_CASE("times: last working days are months, and a holiday in a week is no other week") {
    const auto said = [](const Texts& times) {
        const Series series = with_times(times).read();
        return series.notes.empty() ? "" : series.notes.back();
    };
    const Texts ends{"2005-01-31", "2005-02-28", "2005-03-31", "2005-04-29", "2005-05-31", "2005-07-29"};
    CHECK(read(ends) == "2005-01-31 … 2005-07-31, 1 month, 12");
    CHECK(said({"2005-01-31", "2005-02-28", "2005-03-31", "2005-04-29"}) ==
          "the last working days of months are taken as their last days");
    CHECK(read({"2005-01-03", "2005-02-01", "2005-03-01", "2005-04-01", "2005-05-02"}) ==
          "2005-01-01 … 2005-05-01, 1 month, 12");
    const Texts fridays{"2019-03-29", "2019-04-05", "2019-04-12", "2019-04-18", "2019-04-26", "2019-05-03"};
    CHECK(read(fridays) == "2019-03-29 … 2019-05-03, 7 days, 52");
    CHECK(said(fridays) ==
          "the times are not quite even, most 7 days apart: each is moved to its place on an even grid");
    CHECK(read({"2021-03-01 00:00:01", "2021-03-01 00:15:00", "2021-03-01 00:30:02", "2021-03-01 00:45:01"})
              .find(" seconds") != std::string::npos);
    with_times({"2019-03-01", "2019-03-08", "2019-03-15", "2019-03-18", "2019-03-25"})
        .check_refused(
            "line 5: from 2019-03-15 to 2019-03-18: expected evenly spaced times, and most are 7 days apart");
}

TEST_CASE("times: seasons are no months") {
    for (const Texts& seasons : std::vector<Texts>{{"2001/02", "2002/03", "2003/04"},
                                                   {"2001-02", "2002-03"},
                                                   {"1998/99", "1999/00", "2000/01"},
                                                   {"1990/1991", "1991/1992"}})
        with_times(seasons).check_refused(
            fmt::format("line 2, column 'date': '{}' and all others look like seasons, each from one year to "
                        "the next: write the first year alone, {}",
                        seasons[0], seasons[0].substr(0, 4)));
    CHECK(read({"2001/02", "2001/03", "2001/04"}) == "2001-02 … 2001-04, 1 month, 12");
    CHECK(read({"2001-11", "2001-12", "2002-01"}) == "2001-11 … 2002-01, 1 month, 12");
}

TEST_CASE("times: 202053 is a week of a year, where the next year follows") {
    CHECK(read({"202051", "202052", "202053", "202101"}).substr(0, 10) == "2020-12-14");
    CHECK(read({"202010", "202011", "202012"}) == "2020-10 … 2020-12, 1 month, 12");
}
