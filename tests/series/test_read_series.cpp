#include <glassbox/series/read_series.h>

#include <atomic>
#include <filesystem>

#include <glassbox/io/file.h>

#include "series/series_support.h"
#include "support/compare.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

TEST_CASE("series: commas, semicolons and tabs, quotes, CRLF, a byte order mark, blank lines and spaces") {
    for (const char* text :
         {"year,a,b\n1700,1.5,2\n1701,-3,4e1\n", "year;a;b\n1700;1.5;2\n1701;-3;4e1",
          "year\ta\tb\n1700\t1.5\t2\n1701\t-3\t4e1\n",
          "\xef\xbb\xbfyear,a,b\r\n1700,1.5,2\r\n\r\n1701,-3,4e1\r\n",
          "\"year\",\"a\",b\n\"1700\",\"1.5\",2\n1701,-3,\"4e1\"\n",
          "year , a, b\n\n1700 ,1.5, 2\n1701, -3 ,+40\n\n", "year;a;b\n1700;1,5;2\n1701;-3;40,0\n"}) {
        INFO(text);
        const Series series = Csv(text).read();
        CHECK(series.columns == std::vector<std::string>{"a", "b"});
        CHECK(series.times.name(2) == "1702");
        CHECK(series.notes.empty());
        check_close(series.values, {{1.5, 2}, {-3, 40}}, exact, "values");
        check_close(series.known, {{1, 1}, {1, 1}}, exact, "known");
    }
    const Series quoted = Csv("t,\"a \"\"b\"\", c\"\n1,2\n").read();
    CHECK(quoted.columns == std::vector<std::string>{"a \"b\", c"});
}

TEST_CASE("series: columns are chosen by name, the time among them") {
    const Csv csv("place,date,a,b\nParis,1958-03,1,2\nParis,1958-04,3,4\n");
    const Series series = csv.read({"date", {"b", "a"}});
    check_close(series.values, {{2, 1}, {4, 3}}, exact, "values");
    CHECK(series.times.step_name() == "1 month");
    check_close(Csv("t,a\n1,1e-400\n2,+3\n").read().values, {{0}, {3}}, exact, "too small, and signed");
    csv.check_refused(
        "line 2, column 'place': expected a number or a date like 1958-03-29, 1958-03 or "
        "1958-03-29T12:00, got 'Paris'; column 'date' has dates: SeriesColumns::time date");
    csv.check_refused(
        "line 2, column 'place': expected a number, got 'Paris'; no cell of this column is one: "
        "SeriesColumns::values names the columns to read",
        {"date", {}});
    csv.check_refused("no column 'c'; there are place, date, a, b", {"date", {"c"}});
    csv.check_refused("column 'date' holds the times, not values", {"date", {"date"}});
}

TEST_CASE("series: what is missing becomes the last known value, is marked, counted and said") {
    const Series series =
        Csv("date,a,b\n1958-03-22,NA,7\n1958-03-29,1,\n1958-04-05,NaN,2\n1958-04-26,3,null\n1958-05-03,4,5\n")
            .read();
    // A value of a before 1958-03-29 is not there; b of that row is the one before it.
    check_close(series.values, {{1, 7}, {1, 2}, {1, 2}, {1, 2}, {3, 2}, {4, 5}}, exact, "values");
    check_close(series.known, {{1, 0}, {0, 1}, {0, 0}, {0, 0}, {1, 0}, {1, 1}}, exact, "known");
    CHECK(series.times.name(0) == "1958-03-29");
    CHECK(series.notes ==
          std::vector<std::string>{
              "2 of 7 times have no row",
              "begins at 1958-03-29, the first value of a: 1 row before it is left out",
              "a: 3 of 6 values missing, at most 3 in a row, from 1958-04-05: each is the last known one",
              "b: 4 of 6 values missing, at most 3 in a row, from 1958-04-12: each is the last known one"});
    Csv("t,a\n1,\n2,\n").check_refused("column 'a' has no value");
}

TEST_CASE("series: every bad file is refused with the line and the reason") {
    Csv("").check_refused("is empty: expected a header and a row for each time");
    Csv("\n\r\n").check_refused("is empty: expected a header and a row for each time");
    Csv("t,a\n").check_refused("a header, but no row with a time and values");
    Csv("t\n1\n").check_refused("line 1: expected a column of times and one of values or more, got 't'");
    Csv("1700,5\n1701,6\n").check_refused("line 1: expected a header that names the columns, got '1700'");
    Csv("t,a\n1,2\n2\n").check_refused("line 3: 1 cells, and the header has 2");
    Csv("t,a\n1,2,3\n").check_refused("line 2: 3 cells, and the header has 2");
    Csv("t,a\n1,\"2\n3\n").check_refused("line 2: a quote is not closed");
    Csv("t,a\n1,\"2\"x\n").check_refused("line 2: text after the quote that ends a cell");
    Csv("t,a\n1,2x\n2,3\n").check_refused("line 2, column 'a': expected a number, got '2x'");
    Csv("t,a\n\n1,inf\n2,3\n")
        .check_refused(
            "line 3, column 'a': expected a number, got 'inf'; where it stands for a missing value: "
            "SeriesColumns::missing 'inf'");
    for (const char* large : {"1e39", "-1e400"})
        Csv(fmt::format("t,a\n1,{}\n", large))
            .check_refused(fmt::format("line 2, column 'a': expected a number, got '{}'", large));
    Csv("t,a\n1,1\x1b[31m\n2,3\n").check_refused("line 2, column 'a': expected a number, got '1\\x1b[31m'");
    Csv("t,a\n1,1\xff\n2,3\n").check_refused("line 2, column 'a': expected a number, got '1\\xff'");
    Csv("t,a\n1,2\n1958-03,3\n")
        .check_refused("line 3, column 't': expected a time like 1, as in the first row, got '1958-03'");
    Csv("t,a,a\n1,2,3\n").check_refused("two columns are named 'a'", {"t", {"a"}});
    Csv("t,a\n1,2\n2,3\n3,3\n1000000,4\n")
        .check_refused("4 rows cover 1000000 evenly spaced times: more than 100 for each");
    const Csv huge("t,a\n1," + std::string(10'000'000, 'x') + "\n");
    try {
        huge.read();
        FAIL("nothing was thrown");
    } catch (const FileError& error) {
        CHECK(std::string(error.what()).size() < 500);
    }
    check_error<IoError>([] { read_series("/nonexistent.csv"); },
                         "/nonexistent.csv: cannot open: No such file or directory");
}

TEST_CASE("series: no text makes the reader do anything but read or refuse") {
    const std::string text = "\xef\xbb\xbft;a;b\r\n1958-03-29;\"1,5\";NA\r\n1958-04-05;2;\"3\"\r\n";
    for (std::size_t cut = 0; cut <= text.size(); ++cut)
        for (const char byte : {'"', ';', '\n', '\0', '\xff'}) {
            std::string broken = text.substr(0, cut) + byte + text.substr(std::min(cut + 1, text.size()));
            const Csv csv(broken);
            try {
                const Series series = csv.read();
                CHECK(series.values.shape() == series.known.shape());
            } catch (const FileError&) {
            }
        }
}

TEST_CASE("series: times at both ends of what a number can be have no spacing") {
    Csv("t,v\n-1e308,1\n1e308,2\n")
        .check_refused(
            "line 3: from -1e+308 to 1e+308: expected evenly spaced times, and most are inf apart");
}
