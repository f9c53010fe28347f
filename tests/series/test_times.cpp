#include <glassbox/series/times.h>

#include "series/series_support.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

TEST_CASE("times: what is read is written again, in each form") {
    for (const char* text : {"1749", "1958.25", "-3", "1e-05", "1958-03", "1958-03-29", "2024-02-29",
                             "1900-02-28", "1969-12-31T23:59", "1958-03-29T12:00:30", "0001-01-01"})
        CHECK(written(parse_moment(text)) == text);
    CHECK(written(parse_moment("2024-01-01 07:30")) == "2024-01-01T07:30");
    CHECK(written(parse_moment("2024-01-01T07:30:00Z")) == "2024-01-01T07:30");
}

TEST_CASE("times: what is no time is refused, with the text") {
    for (const char* text : {"2023-02-29", "1900-02-29", "2024-04-31"})
        check_error([&] { parse_moment(text); }, "no such date: '" + std::string(text) + "'");
    check_error([] { parse_moment("2024-13"); }, "no such month: '2024-13'");
    check_error([] { parse_moment("2024-01-01T24:01"); }, "no such time of day: '2024-01-01T24:01'");
    for (const char* text :
         {"", "x", "nan", "inf", "2024-01-01x", "2024-01-01T", "2024-01-01T12", "1 2", "1,5"})
        check_error([&] { parse_moment(text); },
                    "expected a number or a date like 1958-03-29, 1958-03 or 1958-03-29T12:00, got '" +
                        std::string(text) + "'");
}

TEST_CASE(
    "times: spacing is days, months, the ends of months, seconds or numbers, with absent rows counted") {
    const Spacing weekly = spacing({"1958-03-29", "1958-04-05", "1958-04-12", "1958-05-03", "1958-05-10"});
    CHECK(weekly.times.step_name() == "7 days");
    CHECK(weekly.rows == std::vector<index_t>{0, 1, 2, 5, 6});
    CHECK(weekly.times.name(4) == "1958-04-26");
    CHECK(weekly.times.steps_of_a_season() == 52);
    const Spacing firsts = spacing({"2023-11-01", "2023-12-01", "2024-02-01"});
    CHECK(firsts.times.step_name() == "1 month");
    CHECK(firsts.rows == std::vector<index_t>{0, 1, 3});
    CHECK(firsts.times.name(5) == "2024-04-01");
    const Spacing ends = spacing({"2023-11-30", "2023-12-31", "2024-01-31", "2024-02-29"});
    CHECK(ends.times.step_name() == "1 month");
    CHECK(ends.times.name(5) == "2024-04-30");
    CHECK(spacing({"1958-11", "1959-01", "1959-03"}).times.name(4) == "1959-07");
    CHECK(spacing({"2024-01-01 00:00", "2024-01-01 01:00"}).times.steps_of_a_season() == 24);
    const Spacing rounded = spacing({"1958.042", "1958.125", "1958.208", "1958.292"});  // twelfths of a year
    CHECK(rounded.rows.back() == 3);
    CHECK(rounded.times.name(12) == "1959.042");
    CHECK(spacing({"1700"}).times.name(1) == "1701");
}

TEST_CASE("times: rows that do not increase or are not evenly spaced are named by their line") {
    check_error(
        [] {
            spacing({"1700", "1702", "1701"});
        },
        "line 4: expected increasing times, got 1701 after 1702");
    check_error([] { spacing({"1700", "1700"}); }, "line 3: expected increasing times, got 1700 after 1700");
    check_error(
        [] {
            spacing({"1958-03-29", "1958-04-05", "1958-04-12", "1958-04-15", "1958-04-22"});
        },
        "line 5: from 1958-04-12 to 1958-04-15: expected evenly spaced times, and most are 7 days apart");
}
