// Files as R, pandas, spreadsheets and public archives write them.
#include <cmath>

#include "series/series_support.h"
#include "support/compare.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

Texts notes(const Texts& values, const SeriesColumns& columns = {}) {
    return with_values(values).read(columns).notes;
}

double known(const Series& series) {
    double sum = 0;
    for (const real each : series.known.values()) sum += each;
    return sum;
}

}  // namespace

TEST_CASE("series: numbers of nines far from all others are missing, and the notes say so") {
    const Series series = with_values({"10", "-999", "12", "11.5", "-999.0", "-20"}).read();
    CHECK(known(series) == 4);
    CHECK(
        series.notes.at(0) ==
        "a: -999 in 2 rows is read as missing, far from all other values, -20 to 12; SeriesColumns::missing "
        "none keeps it as a number");
    for (const Texts& values : std::vector<Texts>{{"1", "-9999", "3"},
                                                  {"300", "-99", "350", "-99", "340", "-99"},
                                                  {"-5", "-99.9", "8"},
                                                  {"5000", "0", "-999"},
                                                  {"1", "9999.9", "2", "9999.9", "3"},
                                                  {"1", "1e20", "2"}}) {
        INFO(values[1]);
        CHECK(notes(values).at(0).find("is read as missing") != std::string::npos);
        CHECK(notes(values, {.missing = Texts{}}).empty());
    }
}

TEST_CASE("series: a number that may be real stays one") {
    for (const Texts& values : std::vector<Texts>{{"-1500", "-999", "-300", "2000"},
                                                  {"997", "998", "999", "1000"},
                                                  {"99", "101", "98"},
                                                  {"-1", "0", "1", "-1", "-1"},
                                                  {"100", "5000", "9999"},
                                                  {"-999", "-999", "-999"},
                                                  {"-99", "20", "350"},
                                                  {"5", "-200", "7"}}) {
        INFO(values[0] << " " << values[1]);
        const Series series = with_values(values).read();
        CHECK(series.notes.empty());
        CHECK(known(series) == static_cast<double>(values.size()));
    }
}

TEST_CASE("series: what may be a mark is said, and a number all the same") {
    const Texts values{"-200", "3", "-200", "4", "-200", "5"};
    CHECK(notes(values) ==
          Texts{"a: -200 occurs 3 times and is taken as a number; SeriesColumns::missing -200 "
                "reads it as missing"});
    for (const Texts& other : std::vector<Texts>{{"-999", "-900", "-999", "900"},
                                                 {"9999", "1", "9999", "5000", "9999"},
                                                 {"-5000", "-999", "5000", "-999", "-999"}}) {
        INFO(other[0]);
        CHECK(notes(other).at(0).find("and is taken as a number") != std::string::npos);
    }
    CHECK(known(with_values(values).read()) == 6);
    CHECK(known(with_values(values).read({.missing = Texts{"-200.0"}})) == 3);
}

TEST_CASE("series: the words of archives and spreadsheets for what is missing are read and counted") {
    for (const char* word :
         {".", "..", "N/A", "#N/A", "#DIV/0!", "-", "?", "None", "NaT", "n.d.", "<NA>", ":"}) {
        INFO(word);
        const Series series = with_values({"1", word, "3", word}).read();
        CHECK(known(series) == 2);
        CHECK(series.notes.at(0) == fmt::format("2 cells with '{}' are read as missing", word));
    }
    CHECK(notes({"1", "closed", "3"}, {.missing = Texts{"closed"}}).at(0) ==
          "1 cell with 'closed' is read as missing");
    with_values({"1", "closed", "3"})
        .check_refused(
            "line 3, column 'a': expected a number, got 'closed'; where it stands for a missing value: "
            "SeriesColumns::missing 'closed'");
}

TEST_CASE("series: names of rows are no times where a column has them") {
    const Series r = Csv("\"\",\"time\",\"value\"\n1,1949.000,112\n2,1949.083,118\n3,1949.167,132\n").read();
    CHECK(r.columns == Texts{"value"});
    CHECK(r.times.name(0) == "1949");
    CHECK(r.notes == Texts{"the times are those of time; the first column only counts the rows"});
    const Series pandas = Csv(",date,a,b\n0,2020-01-01,1,2\n1,2020-01-02,3,4\n").read();
    CHECK(pandas.columns == Texts{"a", "b"});
    CHECK(pandas.times.name(1) == "2020-01-02");
    const Series bikes = Csv("instant,dteday,cnt\n1,2011-01-01,985\n2,2011-01-02,801\n").read();
    CHECK(bikes.columns == Texts{"cnt"});
    CHECK(bikes.notes ==
          Texts{"the times are those of dteday; the first column, instant, only counts the rows"});
    CHECK(Csv("instant,dteday,cnt\n1,2011-01-01,985\n2,2011-01-02,801\n")
              .read({"instant", {"cnt"}})
              .times.name(1) == "2");
    const Series bare = Csv("\"\",\"x\"\n1,1120\n2,1160\n").read();
    CHECK(bare.notes ==
          Texts{"the times are the numbers of the rows, of the first column; SeriesColumns::time takes "
                "another"});
    const Series named = Csv("t,year,value\n1,1949,5\n2,1950,6\n").read();
    CHECK(named.columns == Texts{"year", "value"});
    CHECK(named.notes.empty());
}

TEST_CASE("series: a column that is none of numbers says which option to take") {
    Csv("t,when,a\n1,2020-01-01,5\n3,2020-01-02,6\n")
        .check_refused(
            "line 2, column 'when': expected a number, got '2020-01-01'; this column has dates: "
            "SeriesColumns::time "
            "when");
    Csv("temp,date\n5,2020-01-01\n4,2020-01-02\n")
        .check_refused(
            "line 2, column 'date': expected a number, got '2020-01-01'; this column has dates: "
            "SeriesColumns::time "
            "date");
}

TEST_CASE("series: a column that starts late is named, with the rows that it costs") {
    const Series series = Csv("t,a,b\n1,5,\n2,6,\n3,7,1\n4,8,2\n").read();
    CHECK(series.notes == Texts{"begins at 3, the first value of b: 2 rows before it are left out"});
    CHECK(Csv("t,a,b\n1,5,\n2,6,\n3,7,1\n4,8,2\n").read({"", {"a"}}).length() == 4);
}

TEST_CASE("series: sep=, comments and a separator at every line's end are no columns") {
    for (const char* text :
         {"sep=;\nt;a\n1;1,5\n2;2,5\n", "# from a station\n# units: K\nt,a\n1,1.5\n2,2.5\n",
          "# from a station\n# t,a\n1,1.5\n2,2.5\n", "t,a,\n1,1.5,\n2,2.5,\n"}) {
        INFO(text);
        const Series series = Csv(text).read();
        CHECK(series.columns == Texts{"a"});
        check_close(series.values, {{1.5}, {2.5}}, exact, "values");
    }
    Csv("# c\nt,a\n1,x\n2,3\n")
        .check_refused(
            "line 3, column 'a': expected a number, got 'x'; where it stands for a missing value: "
            "SeriesColumns::missing 'x'");
}

TEST_CASE("series: what is no CSV file is called by its name") {
    for (const auto& [bytes, what] : std::vector<std::pair<std::string, std::string>>{
             {std::string("\x1f\x8b\x08\0\0\0\0\0", 8), "a gzip archive"},
             {std::string("PK\3\4\x14\0\0\0xl/workbook.xml", 24), "an Excel workbook"},
             {"[{\"date\": \"2020-01-01\", \"a\": 1}]\n", "JSON"},
             {"<!DOCTYPE html><html>", "an HTML page"}}) {
        INFO(what);
        try {
            Csv(bytes).read();
            FAIL("nothing was thrown");
        } catch (const FileError& error) {
            CHECK(std::string(error.what()).find(", got " + what) != std::string::npos);
        }
    }
    Csv("year value\n1700 5\n")
        .check_refused(
            "line 1: expected a column of times and one of values or more, got 'year value': columns are "
            "separated "
            "by commas, semicolons or tabs");
}

TEST_CASE(
    "series: a point or comma before three digits, beside whole numbers or other marks, is not guessed") {
    const auto of = [](const Texts& values) {
        return rows_of("t;a", values, 1, [](const std::string& value, std::size_t i) {
            return fmt::format("{};{}", i, value);
        });
    };
    of({"985", "999", "1.001", "1.012"})
        .check_refused(
            "line 4, column 'a': '1.001' may be 1001 or 1.001: write 1001, or 1.0010 for the latter");
    of({"9,5", "10.125", "9,75"})
        .check_refused(
            "line 3, column 'a': '10.125' may be 10125 or 10.125: write 10125, or 10.1250 for the latter");
    of({"801", "802", "1,103", "804"})
        .check_refused(
            "line 4, column 'a': '1,103' may be 1103 or 1.103: write 1103, or 1,1030 for the latter");
    for (const Texts& right : std::vector<Texts>{{"1.125", "0.985", "1.001"},
                                                 {"801", "0,5", "1,103"},
                                                 {"985", "1001.5", "1.001"},
                                                 {"0.985", "0.999"},
                                                 {"985", "1001", "1012"},
                                                 {"10,125", "9,750"},
                                                 {"1.5", "1.25", "2"}}) {
        INFO(right[0]);
        CHECK(of(right).read().length() == static_cast<index_t>(right.size()));
    }
    of({"1.234,5", "1.300,5"})
        .check_refused(
            "line 2, column 'a': expected a number, got '1.234,5'; write 1.234,5 without marks between "
            "thousands and with a point before decimals");
    of({"10 047,35", "9 876,5"})
        .check_refused(
            "line 2, column 'a': expected a number, got '10 047,35'; write 10 047,35 without marks between "
            "thousands and with a point before decimals");
    with_values({"\"1,234\"", "\"1,300\""})
        .check_refused(
            "line 2, column 'a': expected a number, got '1,234'; write 1,234 without marks between "
            "thousands and with a point before decimals");
}

TEST_CASE(
    "series: three digits behind every point are thousands where another column shows it, else a note") {
    const auto lines = [](const Texts& all) { return Csv(fmt::format("{}\n", fmt::join(all, "\n"))); };
    const std::string way = "'20.000' may be 20000 or 20.000: write 20000, or 20.0000 for the latter";
    for (const Texts& file :
         std::vector<Texts>{{"t;a;b", "1;4,00;20.000", "2;3,98;21.740"},
                            {"t;a;b", "1;0,5;20.000", "2;1,25;21.740"},
                            {"t;a;b", "1;-4,0;20.000", "2;3,5;-21.740"},
                            {"Datum;a;b", "01.01.2019;1;20.000", "02.01.2019;2;21.740"},
                            {"Datum\ta\tb", "01.01.2019\t1\t20.000", "02.01.2019\t2\t21.740"}})
        lines(file).check_refused("line 2, column 'b': " + way);
    lines({"t;a;b", "1;20,000;4.00", "2;21,740;3.98"})
        .check_refused(
            "line 2, column 'a': '20,000' may be 20000 or 20.000: write 20000, or 20,0000 for the latter");
    // A column that is not read shows it, too.
    lines({"t;a;b", "1;4,00;20.000", "2;3,98;21.740"})
        .check_refused("line 2, column 'b': " + way, {.values = {"b"}});
    for (const Texts& file : std::vector<Texts>{{"t,a", "1,20.000", "2,21.740"},
                                                {"t;a", "1;20.000", "2;21.740"},
                                                {"t\ta", "1\t20.000", "2\t"}}) {
        const Series series = lines(file).read();
        CHECK(series.values.at({0, 0}) == 20);
        REQUIRE(!series.notes.empty());
        CHECK(series.notes[0] ==
              "a: all numbers have three digits after a point, as 20.000, which is taken as 20.000: for "
              "thousands write 20000");
    }
    // Another number of digits, in any column, shows that the point stands before decimals.
    for (const Texts& file : std::vector<Texts>{{"t,a", "1,20.000", "2,21.74"},
                                                {"t,a", "1,20.000", "2,0.740"},
                                                {"t;a;b", "1;20.000;0.5", "2;21.740;0.25"},
                                                {"t,a", "1,20.000", "2,985"},
                                                {"t,a", "1,20.000", "2,2e-3"},
                                                {"t,a", "1,1234.125", "2,1.125"}}) {
        INFO(fmt::format("{}", fmt::join(file, " ")));
        CHECK(lines(file).read().notes.empty());
    }
}

TEST_CASE("series: a single number at the end of 16 bits is said") {
    CHECK(notes({"20.1", "21.7", "-32768", "22.3", "20.9"}).at(0) ==
          "a: -32768 occurs 1 time and is taken as a number; SeriesColumns::missing -32768 reads it as "
          "missing");
    CHECK(notes({"-32767.5", "-32768", "32767", "5"}).empty());
}

namespace {

// Values between 7 and 13, and one of them in the place of some.
Texts measured_with(const std::string& mark, int times) {
    Texts values;
    for (int k = 0; k < 150; ++k)
        values.push_back(k % 50 < times ? mark : fmt::format("{:.3f}", 10 + 3 * std::sin(k / 3.0)));
    return values;
}

}  // namespace

TEST_CASE("series: a value that is there exactly again, far from all others, is named and kept") {
    for (const char* mark : {"-32768", "65535", "888.8", "-77.7", "-888", "-9", "0", "-1"}) {
        INFO(mark);
        const Texts said = notes(measured_with(mark, 2));
        REQUIRE(said.size() == 1);
        CHECK(said[0].find(fmt::format("a: {} occurs 6 times and is taken as a number", mark)) == 0);
    }
    // In a third of the rows as well.
    for (const char* mark : {"-32768", "888.8", "-888", "-9", "-1"}) {
        INFO(mark);
        CHECK(notes(measured_with(mark, 16))
                  .at(0)
                  .find(fmt::format("a: {} occurs 48 times and is taken as a number", mark)) == 0);
    }
    CHECK(notes(measured_with("-3.4028235e+38", 2)).at(0).find("is read as missing") != std::string::npos);
    // Values like the others, zeros of most days, of two kinds, and a peak that is there once.
    CHECK(notes(measured_with("9.99", 2)).empty());
    CHECK(notes(measured_with("0", 30)).empty());
    Texts events, peak = measured_with("9", 2);
    for (int k = 0; k < 60; ++k) events.push_back(k % 20 ? "0" : "1");
    CHECK(notes(events).empty());
    peak[70] = "500";
    CHECK(notes(peak).empty());
}

TEST_CASE("series: a date in several columns and a pointer are named") {
    Csv("year,month,day,a\n2019,1,1,5\n2019,1,2,6\n2019,1,3,7\n")
        .check_refused(
            "line 3: expected increasing times, got 2019 after 2019; the times are in the columns year, "
            "month, day: write them in one, as 1958-03-29 or 1958-03-29T12:00");
    Csv("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 100\n")
        .check_refused(
            "expected a CSV file, got a Git LFS pointer to a file of 100 bytes: type git lfs pull in "
            "its folder, which fetches the file itself");
}

TEST_CASE("series: prices that end in nines are no marks for missing values") {
    Texts prices, with_marks;
    for (int k = 0; k < 60; ++k) prices.emplace_back(k % 9 == 0 ? "99.99" : k % 2 ? "9.99" : "4.99");
    CHECK(notes(prices).empty());
    CHECK(known(with_values(prices).read()) == 60);
    prices[7] = prices[30] = prices[44] = "999.99";
    CHECK(notes(prices).empty());
    CHECK(known(with_values(prices).read()) == 60);
    prices[44] = "4.99";
    prices[7] = prices[30] = "-999";
    CHECK(notes(prices).at(0).find("a: -999 in 2 rows is read as missing") == 0);
    // The same beside values of other kinds is one.
    for (int k = 0; k < 60; ++k)
        with_marks.push_back(k % 9 == 0 ? "99.99" : fmt::format("{}.{}", k % 5, k % 8));
    CHECK(known(with_values(with_marks).read()) == 53);
}

TEST_CASE("series: columns of one name are told by their places") {
    const Series series = Csv("t,v,v,w\n1,5,6,7\n2,6,7,8\n").read();
    CHECK(series.columns == Texts{"v (column 2)", "v (column 3)", "w"});
    CHECK(series.notes == Texts{"2 columns are named 'v': each is identified by its position"});
}

TEST_CASE("series: what summer time does to local times is said") {
    const auto hourly = [](int from_day, int month, int left_out, int twice) {
        std::string text = "time,a\n";
        for (int hour = 0; hour < 72; ++hour) {
            if (hour == left_out) continue;
            for (int times = 0; times < (hour == twice ? 2 : 1); ++times)
                text += fmt::format("2021-{:02}-{:02}T{:02}:00,{}\n", month, from_day + hour / 24, hour % 24,
                                    hour);
        }
        return text;
    };
    const Series spring = Csv(hourly(27, 3, 26, -1)).read();
    CHECK(spring.notes.at(0) == "1 of 72 times have no row: 2021-03-28T02:00, which summer time leaves out");
    CHECK(Csv(hourly(27, 3, 25 + 5, -1)).read().notes.at(0) == "1 of 72 times have no row");
    Csv(hourly(29, 10, -1, 50))
        .check_refused(
            "line 53: expected increasing times, got 2021-10-31T02:00 after 2021-10-31T02:00; the end of "
            "summer time has an hour twice: write UTC, or the zone after each time, as in 02:00+01:00");
}

TEST_CASE("series: dates of both orders are refused, with one of each") {
    std::string turned = "date,a\n", both = "date,a\n", right = "date,a\n";
    for (int month = 1; month <= 3; ++month)
        for (int day = 1; day <= 28; ++day) {
            right += fmt::format("{:02}/{:02}/2021,{}\n", day, month, day);
            turned += day <= 12 ? fmt::format("{:02}/{:02}/2021,{}\n", month, day, day)
                                : fmt::format("{:02}/{:02}/2021,{}\n", day, month, day);
        }
    both += "13/01/2021,1\n01/14/2021,2\n15/01/2021,3\n";
    Csv(turned).check_refused(
        "line 14, column 'date': '13/01/2021' has the day first, and '01/02/2021' and similar ones are in "
        "order only with the month first, as when a spreadsheet converts some dates: write all in one order, "
        "as "
        "2021-01-31");
    Csv(both).check_refused(
        "line 3, column 'date': '13/01/2021' has the day first, and '01/14/2021' the month: write all dates "
        "in one "
        "order, as 2021-01-31");
    CHECK(Csv(right).read().times.name(0) == "2021-01-01");
}

TEST_CASE("series: a second column of dates is no column of times") {
    Csv("start,end,a\n2021-01-01,2021-01-07,5\n2021-01-08,2021-01-14,6\n")
        .check_refused(
            "line 2, column 'end': expected a number, got '2021-01-07'; it has dates, and the times are "
            "those of "
            "start: SeriesColumns::values names the columns to read");
}
