// Limits: what is just possible, what is just refused, and how it is said.
#include <cmath>
#include <filesystem>
#include <limits>

#include <glassbox/io/file.h>
#include <glassbox/series/detail/least_squares.h>
#include <glassbox/series/forecast_errors.h>
#include <glassbox/series/generated_series.h>
#include <glassbox/series/linear_forecaster.h>
#include <glassbox/series/naive.h>
#include <glassbox/series/read_series.h>
#include <glassbox/series/scaling.h>
#include <glassbox/series/windows.h>
#include <glassbox/tensor/format.h>

#include "series/series_support.h"
#include "support/compare.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

// Messages are those without the file's name.
Series read(const std::string& text, const SeriesColumns& columns = {}) {
    const Csv csv(text);
    try {
        return csv.read(columns);
    } catch (const FileError& error) {
        throw Error(std::string(error.what()).substr(csv.path.string().size() + 2));
    }
}

}  // namespace

TEST_CASE("times: the first and the last of everything can be read, and is written again") {
    for (const char* text :
         {"0000-01-01", "9999-12-31", "0000-01", "9999-12", "1970-01-01T00:00", "1969-12-31T23:59:59",
          "2024-02-29T00:59:01", "2024-02-29T23:00:59", "1958-03-29T09:10:11", "1969-12", "1970-01"})
        CHECK(written(parse_moment(text)) == text);
    CHECK(parse_moment("1970-01-02T01:02:03").value == 86400 + 3600 + 120 + 3);
    CHECK(parse_moment("1969-12-31T23:59:59").value == -1);
    CHECK(parse_moment("1969-12-31").value == -1);
    CHECK(parse_moment("1971-02").value == 13);
    for (const char* text : {"1958-00", "1958-13", "1958-00-01"})
        check_error([&] { (void)parse_moment(text); }, fmt::format("no such month: '{}'", text));
    for (const char* text : {"1958-03-00", "1958-03-32", "1958-03-00T12:00"})
        check_error([&] { (void)parse_moment(text); }, fmt::format("no such date: '{}'", text));
    for (const char* text : {"1958-03-29T24:01", "1958-03-29T23:60", "1958-03-29T23:59:60"})
        check_error([&] { (void)parse_moment(text); }, fmt::format("no such time of day: '{}'", text));
    for (const char* text : {"1958x", "1958-03x", "1958-03-", "1958-", "1958-03-29X12:00", "1958-03-29T12:0",
                             "1958-03-29T12:00:0", "1958-03-29T12:00:x", "1958-03-29T12:00ZZ",
                             "1958-03-29T12:00:00:00", "1958-3:-01", "195/-01"})
        check_error(
            [&] { (void)parse_moment(text); },
            fmt::format("expected a number or a date like 1958-03-29, 1958-03 or 1958-03-29T12:00, got '{}'",
                        text));
}

TEST_CASE("times: of a long text a message shows the first sixty characters") {
    const std::string tail(80, 'x');
    for (const char* begin : {"2024-13", "2024-02-30", "y"}) try {
            (void)parse_moment(begin + tail);
            FAIL("nothing was thrown");
        } catch (const Error& error) {
            const std::string message = error.what(), all = begin + tail;
            INFO(message);
            CHECK(message.find(all.substr(0, 60)) != std::string::npos);
            CHECK(message.find(all.substr(0, 61)) == std::string::npos);
        }
}

TEST_CASE("times: steps, their names and their seasons") {
    const auto season = [](TimeUnit unit, double step) {
        return TimeAxis{unit, 0, step}.steps_of_a_season();
    };
    CHECK(season(TimeUnit::month, 1) == 12);
    CHECK(season(TimeUnit::month, 3) == 4);
    CHECK(season(TimeUnit::second, 3600) == 24);
    CHECK(season(TimeUnit::day, 1) == 7);
    CHECK(season(TimeUnit::day, 6) == 1);
    CHECK(season(TimeUnit::day, 7) == 52);
    CHECK(season(TimeUnit::day, 365.25) == 1);
    CHECK(season(TimeUnit::number, 1) == 0);
    CHECK(TimeAxis{TimeUnit::number, 0, 0.083333333}.step_name() == "0.0833333");
    CHECK(TimeAxis{TimeUnit::second, 0, 1}.step_name() == "1 second");
    CHECK(TimeAxis{TimeUnit::second, 0, 0.5}.step_name() == "0.5 seconds");
    CHECK(TimeAxis{TimeUnit::month, 0, 2}.step_name() == "2 months");
    // A day that not every month has.
    const Spacing thirtieth = spacing({"2023-11-30", "2023-12-30", "2024-01-30"});
    CHECK(thirtieth.times.name(2) == "2024-01-30");
    CHECK(thirtieth.times.name(3) == "2024-02-29");
    CHECK(thirtieth.times.name(4) == "2024-03-30");
    CHECK(spacing({"2024-01-01", "2024-02-01"}).times.step_name() == "1 month");
    CHECK(spacing({"2024-01-01", "2024-02-02"}).times.step_name() == "32 days");
    const Spacing months = spacing({"2023-11", "2023-12"});
    CHECK(months.times.name(2) == "2024-01");
    const Spacing one = spacing({"2024-01-31"});
    CHECK(one.times.unit == TimeUnit::day);
    CHECK(one.times.name(1) == "2024-02-01");
    CHECK(one.rows == std::vector<index_t>{0});
    const Spacing none = spacing({});
    CHECK(none.times.unit == TimeUnit::number);
    CHECK(none.times.first == 0);
    CHECK(none.rows.empty());
}

TEST_CASE("times: how far from even a spacing may be") {
    // The step is the lower median of the distances.
    CHECK(spacing({"0", "2", "3"}).rows == std::vector<index_t>{0, 2, 3});
    CHECK(spacing({"0", "1", "2", "4", "6"}).rows == std::vector<index_t>{0, 1, 2, 4, 6});
    // Numbers may be rounded by 5 % of the step, dates not at all.
    CHECK(spacing({"0", "1", "2", "3.049"}).rows.back() == 3);
    CHECK_THROWS_AS(spacing({"0", "1", "2", "3.051"}), Error);
    CHECK(spacing({"0", "1", "2", "2.951"}).rows.back() == 3);
    CHECK_THROWS_AS(spacing({"0", "1", "2", "2.949"}), Error);
    CHECK_THROWS_AS(spacing({"0", "1", "2", "2.04"}), Error);  // nearest to no step at all
    CHECK_THROWS_AS(spacing({"2024-01-01T00:00:00", "2024-01-01T01:00:00", "2024-01-01T02:00:01"}), Error);
    // A thousand million steps at most.
    CHECK(spacing({"0", "1", "2", "1000000002"}).rows.back() == 1'000'000'002);
    CHECK_THROWS_AS(spacing({"0", "1", "2", "1000000003"}), Error);
    CHECK(spacing({"0", "1.01", "2", "4"}).times.step == 1);
}

TEST_CASE("series: a file's limits, and the lines and cells that messages name") {
    const auto refused = [](const std::string& text, const std::string& message,
                            const SeriesColumns& columns = {}) {
        check_error([&] { (void)read(text, columns); }, message);
    };
    const std::string no_number =
        "; no cell of this column is one: SeriesColumns::values names the columns to read";
    // 4 rows may cover 1400 times.
    CHECK(read("t,a\n1,2\n2,3\n3,3\n1400,4\n").length() == 1400);
    refused("t,a\n1,2\n2,3\n3,3\n1401,4\n", "4 rows cover 1401 evenly spaced times: more than 100 for each");
    CHECK(read("t,a\n1,2\n2,3\n4,3\n").notes[0] == "1 of 4 times have no row");
    CHECK(read("t,a\n1,2\n2,3\n3,3\n").notes.empty());
    CHECK(read("t,a\n1,2\n").length() == 1);
    // Numbers up to the largest of float; every spelling of what is missing.
    CHECK(std::isfinite(read("t,a\n1,3.4028234e38\n").values.at({0, 0})));
    CHECK(std::isfinite(read("t,a\n1,-3.4028234e38\n").values.at({0, 0})));
    refused("t,a\n1,-3.41e38\n", "line 2, column 'a': expected a number, got '-3.41e38'");
    for (const char* missing : {"NA", "na", "Na", "NAN", "nan", "NULL", "Null", ""})
        CHECK(read(fmt::format("t,a\n1,2\n2,{}\n", missing)).known.at({1, 0}) == 0);
    for (const char* number : {"nax", "nul", "[a", "@A", "n", "1,2,3"})
        refused(fmt::format("t;a\n1;{}\n", number),
                fmt::format("line 2, column 'a': expected a number, got '{}'", number) + no_number);
    CHECK(read("t;a\n1;+2,5\n").values.at({0, 0}) == 2.5);
    // Lines are counted through quotes that hold several, and times are those of the first row.
    refused("t,\"a\n\nb\"\n1,2\n2,x\n",
            "line 5, column 'a\\x0a\\x0ab': expected a number, got 'x'; where it stands for a missing value: "
            "SeriesColumns::missing 'x'");
    refused("t,a\n1,2\n5,3\n1958-03,4\n",
            "line 4, column 't': expected a time like 1, as in the first row, got '1958-03'");
    refused(std::string("t,a\n1,2\0\n", 9),
            "line 2, column 'a': expected a number, got '2\\x00'" + no_number);
    refused("t,a\n1,2\n2,\"3", "line 3: a quote is not closed");
    CHECK(read("t,a\n1,2\n2,\"3\"").values.at({1, 0}) == 3);
    CHECK(read("t,a\n1,2\n2,").known.at({1, 0}) == 0);
    CHECK(read("\"t;x\",\"a;b\"\n1,2\n").columns == std::vector<std::string>{"a;b"});
    CHECK(read("  t ; \ta\t \n1;\t2 \n").columns == std::vector<std::string>{"a"});
    CHECK(read("t; \n1;\t \n2;3\n").known.at({0, 0}) == 1);
    refused("t,a\n1,\"1,5\"\n",
            "line 2, column 'a': expected a number, got '1,5'; with decimal commas the cells are separated "
            "by semicolons");
    for (const std::string grouped : {"1,500.000", "-12,345,678.5", "1.500,25"})
        refused("t,a\n1,\"" + grouped + "\"\n",
                "line 2, column 'a': expected a number, got '" + grouped + "'; write " + grouped +
                    " without marks between thousands and with a point before decimals");
    refused("a,t,a\n1,2,3\n", "two columns are named 'a'", {"t", {"a"}});
    CHECK(read("a,t,b\n1,2,3\n", {"t", {}}).columns == std::vector<std::string>{"a", "b"});
    // Of a long text a message shows the first sixty characters.
    const std::string tail(80, 'x');
    for (const std::string& text :
         {"t,a\n1," + tail + "\n", "t,a\n" + tail + ",1\n", "t,a\n1,2\n2024-13" + tail + ",1\n"})
        try {
            (void)read(text);
            FAIL("nothing was thrown");
        } catch (const Error& error) {
            const std::string message = error.what();
            CHECK(message.find(std::string(53, 'x')) != std::string::npos);
            CHECK(message.find(std::string(61, 'x')) == std::string::npos);
        }
}

TEST_CASE("series: whole rows are needed, and the first of the longest runs of missing values is named") {
    const double none = std::numeric_limits<double>::quiet_NaN();
    check_error([] { (void)filled_series("x", {}, {}, {}); },
                "series: needs whole rows of 0 columns, got 0 values");
    check_error(
        [] {
            (void)filled_series("x", {"a", "b"}, {}, {1, 2, 3});
        },
        "series: needs whole rows of 2 columns, got 3 values");
    check_error(
        [&] {
            (void)filled_series("x", {"a", "b"}, {}, {1, none, 2, none});
        },
        "column 'b' has no value");
    const Series series = filled_series("x", {"a"}, {}, {1, none, 2, none, 3, 4});
    CHECK(series.notes ==
          std::vector<std::string>{
              "a: 2 of 6 values missing, at most 1 in a row, from 1: each is the last known one"});
    check_close(series.values, {{1}, {1}, {2}, {2}, {3}, {4}}, exact, "values");
    // The last of a column is its only one.
    const Series late = filled_series("x", {"a", "b"}, {}, {1, none, none, none, 2, 5});
    check_close(late.values, {{2, 5}}, exact, "values");
    CHECK(late.times.first == 2);
    CHECK(late.notes ==
          std::vector<std::string>{"begins at 2, the first value of b: 2 rows before it are left out"});
}

TEST_CASE("windows: the least that make a window, a split and a data set") {
    const Tensor series{{0}, {1}, {2}, {3}, {4}}, ones = Tensor::ones({5, 1});
    for (const index_t t : {1, 2}) CHECK(window_at(series, t, {2, 2}).x.at({1, 0}) == static_cast<real>(t));
    check_error(
        [] {
            (void)window_at({1, 2, 3}, 1, {1, 1});
        },
        "window: needs 1 values up to t = 1 and 1 after it, got a series of shape (3,)");
    CHECK(split_by_time(100, 0.1, 0.2, {60, 10}).training == 70);
    CHECK_THROWS_AS(split_by_time(100, 0.2, 0.1, {20, 11}), UsageError);
    CHECK_NOTHROW(split_by_time(100, 0.2, 0.1, {20, 10}));
    CHECK_NOTHROW(split_by_time(12, 0.34, 0.34, {1, 3}));
    check_error<UsageError>(
        [] {
            (void)split_by_time(100, 0.1, 0.2, {1, 0});
        },
        "windows: needs a window and a horizon of at least 1, got 1 and 0");
    const auto data = [&](index_t begin, index_t end) {
        return WindowData(series, ones, begin, end, {2, 1});
    };
    CHECK(data(0, 5).size() == 3);
    CHECK(data(0, 3).size() == 1);
    CHECK(data(0, 2).size() == 0);
    CHECK(data(4, 5).size() == 1);
    CHECK(data(5, 5).size() == 0);
    CHECK(data(2, 4).t(0) == 1);
    CHECK(data(3, 4).t(0) == 2);
    const std::string needed = "windows: needs values and known of one shape (T, c) with the rows ";
    check_error([&] { (void)data(-1, 5); }, needed + "[-1, 5), got (5, 1) and (5, 1)");
    check_error([&] { (void)data(0, 6); }, needed + "[0, 6), got (5, 1) and (5, 1)");
    check_error(
        [&] {
            (void)WindowData(series, Tensor::ones({4, 1}), 0, 4, {2, 1});
        },
        needed + "[0, 4), got (5, 1) and (4, 1)");
    check_error(
        [&] {
            (void)WindowData({1, 2}, {1, 1}, 0, 2, {1, 1});
        },
        needed + "[0, 2), got (2,) and (2,)");
    check_error([&] { (void)data(0, 5).at({-1}); }, "windows: no window -1: there are 3");
    check_error(
        [] {
            (void)learned_scaling(Tensor::ones({2, 1}), Tensor::ones({1, 1}));
        },
        "scaling: needs values and known of one shape (T, c), got (2, 1) and (1, 1)");
}

TEST_CASE("naive forecasts and errors: the least windows, horizons and seasons") {
    check_close(last_value_forecast({{7}}, 1), {{7}}, exact, "last value");
    check_close(seasonal_naive_forecast({{7}}, 1, 1), {{7}}, exact, "season 1");
    const std::string needed = "naive forecast: needs x of shape (…, L, c) and a horizon of at least 1, got ";
    check_error([] { (void)last_value_forecast({1, 2}, 1); }, needed + "(2,) and 1");
    check_error(
        [] {
            (void)last_value_forecast(Tensor(Shape{0, 2}, std::vector<real>()), 1);
        },
        needed + "(0, 2) and 1");
    check_error([] { (void)seasonal_naive_forecast({{1}}, 0, 1); }, needed + "(1, 1) and 0");
    check_close(seasonal_scale({{1}, {3}}, {{1}, {1}}, 1), {2}, exact, "scale");
    for (const index_t season : {0, 2})
        CHECK_THROWS_AS(seasonal_scale({{1}, {2}}, {{1}, {1}}, season), Error);
    CHECK_THROWS_AS(seasonal_scale({1, 2, 3}, {1, 1, 1}, 1), Error);
    CHECK_THROWS_AS(seasonal_scale({{1}, {2}}, {{1}, {1}, {1}}, 1), Error);
    CHECK_THROWS_AS(
        seasonal_scale(Tensor(Shape{0, 1}, std::vector<real>()), Tensor(Shape{0, 1}, std::vector<real>()), 1),
        Error);
    check_close(forecast_errors({1, 5}, {2, 7}, {1, 1}, {1, 4}).mase, {1, 0.5}, exact, "of one row");
    CHECK_THROWS_AS(forecast_errors(Tensor(real(1)), Tensor(real(1)), Tensor(real(1)), {1}), Error);
    CHECK_THROWS_AS(forecast_errors({1, 2}, {1, 2}, {1}, {1, 1}), Error);
}

TEST_CASE("generated series: the formula by hand, without noise and seasons, and every limit") {
    GeneratedSeriesConfig config;
    config.length = 10, config.noise = 0, config.periods = {}, config.amplitudes = {};
    config.level = 2, config.trend = 500, config.shift = 8;
    check_close(generated_series(config).series.values,
                {{2}, {2.5}, {3}, {11.5}, {12}, {12.5}, {13}, {13.5}, {14}, {14.5}}, exact, "values");
    const auto made = [](auto change) {
        GeneratedSeriesConfig of_limits;
        of_limits.length = 1;
        change(of_limits);
        (void)generated_series(of_limits);
    };
    CHECK_NOTHROW(made([](auto& c) { c.periods = {2, 1e9}; }));
    CHECK_NOTHROW(made([](auto& c) { c.noise = 1e9; }));
    CHECK_NOTHROW(made([](auto& c) { c.noise = 0; }));
    check_error<UsageError>([&] { made([](auto& c) { c.length = 0; }); },
                            "generated series: 1 to 268435456 values, got 0");
    check_error<UsageError>([&] { made([](auto& c) { c.length = (1 << 28) + 1; }); },
                            "generated series: 1 to 268435456 values, got 268435457");
    for (const double period : {1.5, 2e9, -3.0})
        check_error<UsageError>(
            [&] { made([&](auto& c) { c.periods[1] = period; }); },
            fmt::format("generated series: needs periods of at least 2 steps, got {}", period));
    for (const double noise : {-0.5, 2e9})
        check_error<UsageError>(
            [&] { made([&](auto& c) { c.noise = noise; }); },
            fmt::format("generated series: needs a deviation of the noise of at least 0, got {}", noise));
}

TEST_CASE("linear forecaster: the least sizes, and its width") {
    const auto refused = [](index_t window, index_t horizon, index_t width) {
        check_error(
            [&] { (void)LinearForecaster(window, horizon, width); },
            fmt::format("linear forecaster: needs a window and a horizon of at least 1 and an odd width, "
                        "got {}, {} and {}",
                        window, horizon, width));
    };
    refused(0, 1, 1), refused(1, 0, 1), refused(1, 1, 0), refused(1, 1, -1), refused(1, 1, 2);
    CHECK_NOTHROW(LinearForecaster(1, 1, 1));
    check_error(
        [] {
            (void)LinearForecaster(2, 1)({1, 2});
        },
        "linear forecaster: needs x of shape (…, 2, c), got (2,)");
    // Without a width it is the source's, 25: of 40 ones after 40 zeros, place 40 sees 13.
    LinearForecaster model(80, 1);
    Tensor weight = Tensor::zeros({1, 80}), x = Tensor::zeros({80, 1});
    weight.writable().data[40] = 1;
    for (index_t t = 40; t < 80; ++t) x.writable().data[t] = 1;
    model.trend.weight = weight;
    CHECK(model(x).item() == Approx(13.0 / 25));
}

TEST_CASE("least squares: ridge regression by hand, also of what is singular or nothing at all") {
    const auto solved = [](const std::vector<double>& G, const std::vector<double>& C, double lambda) {
        const std::size_t n = C.size();
        return ridge(Matrix{n, n, G}, Matrix{n, 1, C}, lambda).values;
    };
    const std::vector<double> x = solved({4, 1, 1, 2}, {1, 5}, 1);  // [[5, 1], [1, 3]] x = [1, 5]
    CHECK(x[0] == Approx(-2.0 / 14));
    CHECK(x[1] == Approx(24.0 / 14));
    const std::vector<double> three = solved({3, 1, 0, 1, 3, 1, 0, 1, 3}, {5, 10, 11}, 0);
    for (std::size_t i = 0; i < 3; ++i) CHECK(three[i] == Approx(static_cast<double>(i + 1)));
    // The penalty is at least 1e-10 of the largest element, which (1, −1) feels alone; of nothing, it is 1.
    const std::vector<double> singular = solved({1, 1, 1, 1}, {1, -1}, 0);
    CHECK(singular[0] == Approx(1e10).epsilon(1e-3));
    CHECK(singular[1] == Approx(-1e10).epsilon(1e-3));
    CHECK(solved({0}, {5}, 0)[0] == Approx(5));
    CHECK(solved({0, 0, 0, 8}, {1e-9, 0}, 0)[0] == Approx(1e-9 / 8e-10));
    Matrix m{2, 2, {1, 5, 3, 6}};
    CHECK(m.subtract_mean() == std::vector<double>{2, 5.5});
    CHECK(m.values == std::vector<double>{-1, -0.5, 1, 0.5});
    const Matrix a{2, 3, {1, 2, 3, 4, 5, 6}}, b{3, 1, {1, 0, 2}}, row{1, 3, {1, 0, 2}};
    CHECK(product(a, b).values == std::vector<double>{7, 16});
    CHECK(product(a, row, true).values == std::vector<double>{7, 16});
    CHECK(product_of_columns(a, Matrix{2, 1, {1, 2}}).values == std::vector<double>{9, 12, 15});
}
