#include <cmath>
#include <filesystem>

#include <glassbox/io/detail/file.h>

#include "command.h"
#include "support/catch.h"
#include "support/errors.h"
#include "tracer/cli/text_width.h"
#include "tracer/figures/draw.h"

using namespace tracer;
using glassbox_test::check_error;

namespace {

// CIE L*, 0 to 100: how light a colour looks.
double lightness(Color color) {
    const auto linear = [](std::uint8_t value) {
        const double v = value / 255.0;
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    const double y = 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
    return y <= 0.008856 ? 903.3 * y : 116 * std::cbrt(y) - 16;
}

}  // namespace

TEST_CASE("palette: cividis grows lighter all the way, and evenly") {
    double before = lightness(color_at(Palette::cividis, 0));
    const double whole = lightness(color_at(Palette::cividis, 1)) - before;
    for (int i = 1; i <= 20; ++i) {
        const double next = lightness(color_at(Palette::cividis, i / 20.0));
        INFO("step " << i);
        CHECK(next - before > 0.5 * whole / 20);
        CHECK(next - before < 1.5 * whole / 20);
        before = next;
    }
}

TEST_CASE("palette: red and blue are lightest in the middle and darker to both ends") {
    for (int i = 0; i < 50; ++i) {
        INFO("step " << i);
        CHECK(lightness(color_at(Palette::red_blue, i / 100.0)) <
              lightness(color_at(Palette::red_blue, (i + 1) / 100.0)));
        CHECK(lightness(color_at(Palette::red_blue, 1 - i / 100.0)) <
              lightness(color_at(Palette::red_blue, 1 - (i + 1) / 100.0)));
    }
    const Color negative = color_at(Palette::red_blue, 0.1), positive = color_at(Palette::red_blue, 0.9);
    CHECK(negative.red > 2 * negative.blue);
    CHECK(positive.blue > 2 * positive.red);
}

TEST_CASE(
    "palette: values beyond the ends take the end's colour, NaN and infinity one that is in no palette") {
    CHECK(color_of(Palette::cividis, -5, 0, 1) == color_at(Palette::cividis, 0));
    CHECK(color_of(Palette::cividis, 7, 0, 1) == color_at(Palette::cividis, 1));
    CHECK(color_of(Palette::cividis, 3, 3, 3) == color_at(Palette::cividis, 0.5));
    CHECK(color_of(Palette::cividis, NAN, 0, 1) == not_finite_color);
    CHECK(color_of(Palette::red_blue, -INFINITY, -1, 1) == not_finite_color);
    for (const Palette palette : {Palette::cividis, Palette::red_blue})
        for (int i = 0; i <= 1000; ++i) CHECK_FALSE(color_at(palette, i / 1000.0) == not_finite_color);
}

TEST_CASE("text width: accents take no column, Chinese and Japanese two, a broken byte one") {
    CHECK(width_of(std::string("étudiant")) == 8);
    CHECK(width_of(std::string("e\u0301tudiant")) == 8);
    CHECK(width_of(std::string("日本")) == 4);
    CHECK(width_of(std::string("\xff")) == 1);
    CHECK(shortened("étudiant", 8) == "étudiant");
    CHECK(shortened("étudiants", 8) == "étudian…");
    CHECK(shortened("日本語", 4) == "日…");
    for (const char32_t c : {U'a', U'é', U'日', U'\U0001F600'})
        CHECK(characters(utf8(c)) == std::vector<char32_t>{c});
}

TEST_CASE("attention figure: layers are rows, heads columns, all on one scale from 0") {
    const Tensor first({2, 1, 2}, {real(0.25), real(0.75), real(0.5), real(0.5)});
    const Tensor second({1, 2}, {real(0.125), real(0.875)});  // one head without an axis of its own
    const Figure figure = attention_figure({first, second}, {"q"}, {"a", "b"}, "name");
    CHECK(figure.title == "name");
    REQUIRE(figure.rows.size() == 2);
    REQUIRE(figure.rows[0].size() == 2);
    REQUIRE(figure.rows[1].size() == 1);
    const HeatMap& map = std::get<HeatMap>(figure.rows[0][1]);
    CHECK(map.title == "Layer 1, Head 2");
    CHECK(map.values == std::vector<real>{real(0.5), real(0.5)});
    CHECK(map.x.names == std::vector<std::string>{"a", "b"});
    CHECK(map.y.names == std::vector<std::string>{"q"});
    CHECK(std::get<HeatMap>(figure.rows[1][0]).title == "Layer 2, Head 1");
    for (const auto& row : figure.rows)
        for (const Panel& panel : row) {
            CHECK(std::get<HeatMap>(panel).low == 0);
            CHECK(std::get<HeatMap>(panel).high == 0.875);
        }
}

TEST_CASE("attention figure: shapes that do not fit the tokens are refused") {
    const Tensor attention = Tensor::ones({2, 3, 4});
    check_error(
        [&] {
            attention_figure({attention}, {"a", "b"}, {"a", "b", "c", "d"});
        },
        "attention figure: 2 queries and 4 keys are named, attention has shape (2, 3, 4)");
    check_error(
        [&] {
            attention_figure({Tensor::ones({1, 2, 3, 4})}, {}, {});
        },
        "attention figure: attention of shape (h, n_q, n_k) or (n_q, n_k) expected, got (1, 2, 3, 4)");
    check_error([&] { positional_figure(Tensor::ones({3})); },
                "positional figure: a matrix expected, got shape (3,)");
}

TEST_CASE("positional figure: dimensions downwards, positions across from 1, and four plots of 16 points") {
    std::vector<real> values;
    for (int t = 0; t < 25; ++t)
        for (int i = 0; i < 6; ++i) values.push_back(static_cast<real>(std::sin(t + 10 * i)));
    const Tensor encoding({25, 6}, values);
    const Figure figure = positional_figure(encoding);
    REQUIRE(figure.rows.size() == 3);
    const HeatMap& map = std::get<HeatMap>(figure.rows[0][0]);
    CHECK(map.x.label == "Position in sequence");
    CHECK(map.y.label == "Hidden dimension");
    CHECK(map.at(5, 20) == encoding.at({20, 5}));
    CHECK(map.low == -1);
    CHECK(map.high == 1);
    std::vector<std::string> ticks;
    for (std::size_t i = 0; i < 25; ++i)
        if (map.x.has_tick(i)) ticks.push_back(map.x.names[i]);
    CHECK(ticks == std::vector<std::string>{"1", "10", "20"});
    const LinePlot& plot = std::get<LinePlot>(figure.rows[2][1]);
    CHECK(plot.title == "Encoding in hidden dimension 4");
    CHECK(plot.x.names.front() == "1");
    CHECK(plot.x.names.back() == "16");
    CHECK(plot.series.at(0).values.at(15) == encoding.at({15, 3}));
    CHECK(plot.high == Approx(1.2));
    CHECK(plot.low == Approx(-1.2));
}

TEST_CASE("positional figure: a learned encoding beyond ±1 widens the scale, few numbers make few plots") {
    const Figure figure = positional_figure(Tensor({2, 1}, {real(0.5), -3}));
    REQUIRE(figure.rows.size() == 2);
    CHECK(figure.rows[1].size() == 1);
    const HeatMap& map = std::get<HeatMap>(figure.rows[0][0]);
    CHECK(map.low == -3);
    CHECK(map.high == 3);
}

TEST_CASE("dot figure: from the smallest to the largest product") {
    const HeatMap map = std::get<HeatMap>(dot_figure(Tensor({{4, -1}, {-1, 2}})).rows[0][0]);
    CHECK(map.low == -1);
    CHECK(map.high == 4);
    CHECK(map.at(1, 0) == -1);
}

TEST_CASE("figure file: the ending says the format; others are refused by name") {
    const glassbox_test::Folder folder;
    const Figure figure = dot_figure(Tensor({{1, 0}, {0, 1}}));
    write_figure(figure, folder / "a.SVG");
    write_figure(figure, folder / "a.png");
    const glassbox::Bytes svg = glassbox::read_file_whole(folder / "a.SVG");
    const glassbox::Bytes png = glassbox::read_file_whole(folder / "a.png");
    CHECK(glassbox::as_text(svg) == draw_svg(figure));
    CHECK(png == draw_png(figure));
    check_error<glassbox::UsageError>(
        [&] { write_figure(figure, "map.pdf"); },
        "--map: a file whose name ends in .svg or .png expected, got 'map.pdf'");
    check_error<glassbox::UsageError>(
        [] { check_figure_file("x.svg/map"); },
        "--map: a file whose name ends in .svg or .png expected, got 'x.svg/map'");
    CHECK_THROWS_AS(write_figure(figure, folder / "missing/a.png"), glassbox::IoError);
    CHECK_FALSE(std::filesystem::exists(folder / "missing"));
}

TEST_CASE("figure: one that is too large is refused with its size, before it is drawn") {
    const Tensor wide = Tensor::zeros({1, 7000});
    check_error<glassbox::UsageError>([&] { draw_png(dot_figure(wide)); },
                                      "--map: the picture would have 21152 × 274 pixels (at most 20000 a "
                                      "side and 100 million): choose fewer layers "
                                      "or heads with --only, or a shorter sequence");
    check_error<glassbox::UsageError>(
        [&] {
            draw_svg(dot_figure(Tensor::zeros({600, 501})));
        },
        "--map: an SVG of 300600 cells is too large for a browser (at most 300000): write a .png, or choose "
        "fewer "
        "layers or heads with --only, or a shorter sequence");
}
