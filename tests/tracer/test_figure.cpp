#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "command.h"
#include "support/catch.h"
#include "support/errors.h"
#include "tracer/cli/text_width.h"
#include "tracer/figures/draw.h"
#include "tracer/figures/panel_box.h"
#include "tracer/figures/scene.h"

using namespace glassbox;
using namespace glassbox::tracer;
using glassbox_test::check_error;

namespace {

// CIE L*, 0 to 100: the lightness of a colour.
double lightness(Color color) {
    const auto linear = [](std::uint8_t value) {
        const double v = value / 255.0;
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    const double y = 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
    return y <= 0.008856 ? 903.3 * y : 116 * std::cbrt(y) - 16;
}

}  // namespace

TEST_CASE("palette: cividis gets uniformly lighter") {
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

TEST_CASE("palette: red and blue are lightest in the middle and darker towards both ends") {
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
    "palette: values beyond the ends have the end's colour, NaN and infinity one that is in no palette") {
    CHECK(color_of(Palette::cividis, -5, 0, 1) == color_at(Palette::cividis, 0));
    CHECK(color_of(Palette::cividis, 7, 0, 1) == color_at(Palette::cividis, 1));
    CHECK(color_of(Palette::cividis, 3, 3, 3) == color_at(Palette::cividis, 0.5));
    CHECK(color_of(Palette::cividis, NAN, 0, 1) == not_finite_color);
    CHECK(color_of(Palette::red_blue, -INFINITY, -1, 1) == not_finite_color);
    for (const Palette palette : {Palette::cividis, Palette::red_blue})
        for (int i = 0; i <= 1000; ++i) CHECK_FALSE(color_at(palette, i / 1000.0) == not_finite_color);
}

TEST_CASE("text width: accents take no column, Chinese and Japanese two, an invalid byte one") {
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

TEST_CASE(
    "attention figure: layers are rows, heads columns; each map has its own scale, or all have 0 to 1") {
    const Tensor first({2, 1, 2}, {real(0.25), real(0.75), real(0.5), real(0.5)});
    const Tensor second({1, 2}, {real(0.125), real(0.875)});  // one head without a head axis
    const Figure figure = attention_figure({first, second}, {"q"}, {"a", "b"}, "name");
    CHECK(figure.title == "name");
    REQUIRE(figure.rows.size() == 2);
    REQUIRE(figure.rows[0].size() == 2);
    REQUIRE(figure.rows[1].size() == 1);
    const HeatMap& map = std::get<HeatMap>(figure.rows[0][1]);
    CHECK(map.title == "layer 0, head 1");
    CHECK(map.values == std::vector<real>{real(0.5), real(0.5)});
    CHECK(map.x.names == std::vector<std::string>{"a", "b"});
    CHECK(map.y.names == std::vector<std::string>{"q"});
    CHECK(std::get<HeatMap>(figure.rows[1][0]).title == "layer 1, head 0");
    const auto scales = [](const Figure& drawn) {
        std::string text;
        for (const auto& row : drawn.rows)
            for (const Panel& panel : row) {
                const HeatMap& each = std::get<HeatMap>(panel);
                text += fmt::format("{} to {}{}|", each.low, each.high, each.has_bar ? ", bar" : "");
            }
        return text;
    };
    CHECK(scales(figure) == "0 to 0.75, bar|0 to 0.5, bar|0 to 0.875, bar|");
    const auto shared = [](Figure drawn) {
        share_scale(drawn, 1);
        return drawn;
    };
    CHECK(scales(shared(figure)) == "0 to 1|0 to 1, bar|0 to 1|");
    Figure compared = figure;
    share_scale(compared);
    CHECK(scales(compared) == "0 to 0.875|0 to 0.875, bar|0 to 0.875|");
    const Tensor small({2, 1, 2}, {real(0.25), real(0.125), 0, 0});  // a map of zeros still has a scale
    CHECK(scales(attention_figure({small}, {"q"}, {"a", "b"})) == "0 to 0.25, bar|0 to 1, bar|");
    const Tensor large({1, 1, 2}, {real(1.5), real(0.25)});  // with a mistake
    CHECK(scales(shared(attention_figure({large}, {"q"}, {"a", "b"}))) == "0 to 1.5, bar|");
    Figure encoding = positional_figure(Tensor::ones({2, 1}));
    share_scale(encoding);
    CHECK(std::get<HeatMap>(encoding.rows[0][0]).low == -1);  // is of signed numbers
}

TEST_CASE("attention figure: where one legend is for all, maps are relative to their largest weight") {
    const Tensor heads({2, 1, 2}, {real(0.25), real(0.5), real(0.125), real(0.0625)});
    const Figure figure = relative_to_largest(attention_figure({heads}, {"q"}, {"a", "b"}));
    const HeatMap &first = std::get<HeatMap>(figure.rows[0][0]),
                  &second = std::get<HeatMap>(figure.rows[0][1]);
    CHECK(first.values == std::vector<real>{real(0.5), 1});
    CHECK(second.values == std::vector<real>{1, real(0.5)});
    CHECK(first.high == 1);
    CHECK(second.high == 1);
    CHECK(second.title == "head 1 (0.125)");
    CHECK(figure.notes.size() == 1);
    Figure same = attention_figure({heads}, {"q"}, {"a", "b"});
    share_scale(same, 1);
    CHECK(std::get<HeatMap>(relative_to_largest(same).rows[0][1]).values[0] == real(0.125));
    CHECK(relative_to_largest(same).notes.empty());
}

TEST_CASE("attention figure: the only layer has no number, and the only head none either") {
    const auto title = [](const Tensor& attention) {
        const Figure figure = attention_figure({attention}, {"a", "b"}, {"a", "b"});
        return std::get<HeatMap>(figure.rows.at(0).at(0)).title;
    };
    CHECK(title(Tensor::ones({2, 2})) == "Attention");
    CHECK(title(Tensor::ones({1, 2, 2})) == "Attention");
    CHECK(title(Tensor::ones({2, 2, 2})) == "head 0");
}

TEST_CASE("attention figure: shapes that do not match the tokens are refused") {
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
        "attention figure: expected attention of shape (h, n_q, n_k) or (n_q, n_k), got (1, 2, 3, 4)");
    check_error([&] { positional_figure(Tensor::ones({3})); },
                "positional figure: expected a matrix, got shape (3,)");
}

TEST_CASE("positional figure: dimensions downwards, positions across from 0, and four plots of 16 points") {
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
    CHECK(ticks == std::vector<std::string>{"0", "10", "20"});
    const LinePlot& plot = std::get<LinePlot>(figure.rows[2][1]);
    CHECK(plot.title == "Encoding in hidden dimension 3");
    CHECK(plot.x.names.front() == "0");
    CHECK(plot.x.names.back() == "15");
    CHECK(plot.series.at(0).values.at(15) == encoding.at({15, 3}));
    CHECK(plot.high == 1);
    CHECK(plot.low == -1);
}

TEST_CASE("positional figure: a learned encoding beyond ±1 widens the scale, few dimensions give few plots") {
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

TEST_CASE("attention figure: a weight of 0 that the mask hides is hatched, and one that is not 0 is shown") {
    const Tensor attention({1, 2, 2}, {1, 0, real(0.75), real(0.25)}),
        seen({1, 2, 2}, {1, 0, 1, 0});  // with a mistake the second row takes from a hidden key
    Figure figure = attention_figure({attention}, {"a", "b"}, {"a", "b"});
    hide_unseen(figure.rows[0], seen);
    const HeatMap& map = std::get<HeatMap>(figure.rows[0][0]);
    CHECK(map.is_hidden(0, 1));
    CHECK(map.hidden_cells() == 1);
    CHECK(map.color(0, 1) == hidden_color);
    CHECK(map.color(1, 1) == color_at(Palette::cividis, 0.25));
    const std::string svg = draw_svg(figure);
    CHECK(svg.find(">hidden by the mask<") != std::string::npos);
    CHECK(svg.find(fmt::format("stroke=\"{}\"", hex(hatch_color))) != std::string::npos);
    const std::string text = draw_terminal(figure, Colors::none);
    CHECK(text.find("a │██╱╱│") != std::string::npos);
    CHECK(text.find("\n╱ hidden by the mask\n") != std::string::npos);
}

TEST_CASE("attention figure: hatches of neighbouring hidden cells are one line") {
    const index_t n = 4;
    std::vector<real> weights, visible;
    for (index_t i = 0; i < n; ++i)
        for (index_t j = 0; j < n; ++j) {
            visible.push_back(j <= i);
            weights.push_back(j <= i ? real(1) / static_cast<real>(i + 1) : real(0));
        }
    Figure figure = attention_figure({Tensor({n, n}, weights)}, {"a", "b", "c", "d"}, {"a", "b", "c", "d"});
    hide_unseen(figure.rows[0], Tensor({n, n}, visible));
    const Scene scene = lay_out(figure);
    std::vector<double> lengths;
    const double cell = cell_units(std::get<HeatMap>(figure.rows[0][0]));
    for (const Mark& mark : scene.marks)
        if (const auto* line = std::get_if<LineMark>(&mark); line && line->color == hatch_color) {
            CHECK(line->x2 - line->x1 == Approx(line->y1 - line->y2));  // upwards to the right
            lengths.push_back(std::round((line->x2 - line->x1) / cell));
        }
    lengths.pop_back();                                    // of the legend
    CHECK(lengths == std::vector<double>{1, 1, 2, 1, 1});  // of the upper triangle's anti-diagonals
}

TEST_CASE("attention figure: small maps have their numbers, and all have cells of one size") {
    const auto scene_of = [](index_t n) {
        const std::vector<std::string> names(static_cast<std::size_t>(n), "w");
        return draw_svg(
            attention_figure({Tensor::full({n, n}, real(0.281)), Tensor::ones({n, n})}, names, names));
    };
    CHECK(scene_of(8).find(">0.28<") != std::string::npos);
    CHECK(scene_of(9).find(">0.28<") == std::string::npos);
    Figure both = attention_figure({Tensor::ones({1, 3, 3})}, {"a", "b", "c"}, {"a", "b", "c"});
    const std::vector<std::string> names(12, "w");
    both.rows.push_back(attention_figure({Tensor::ones({1, 12, 12})}, names, names).rows[0]);
    std::set<double> cells;
    const Scene scene = lay_out(both);
    for (const Mark& mark : scene.marks)
        if (const auto* map = std::get_if<CellsMark>(&mark)) cells.insert(map->cell);
    CHECK(cells.size() == 1);
}

TEST_CASE("figure: the ticks of a colour bar are round numbers within its scale") {
    const Figure figure = attention_figure({Tensor::full({1, 5, 5}, real(0.437))}, {"a", "b", "c", "d", "e"},
                                           {"a", "b", "c", "d", "e"});
    const std::string svg = draw_svg(figure);
    for (const char* tick : {">0<", ">0.2<", ">0.4<"}) {
        CAPTURE(tick);
        CHECK(svg.find(tick) != std::string::npos);
    }
    CHECK(svg.find(">0.437<") == std::string::npos);
}

TEST_CASE("figure file: the ending determines the format; others are refused by name") {
    const glassbox_test::Folder folder;
    const Figure figure = dot_figure(Tensor({{1, 0}, {0, 1}}));
    CHECK(figure_endings() == std::vector<std::string>{".svg", ".png", ".pdf"});
    write_figure(figure, folder / "a.SVG");
    CHECK(glassbox_test::content(folder / "a.SVG") == draw_svg(figure));
    check_error<glassbox::UsageError>(
        [&] { write_figure(figure, "map.eps"); },
        "--map: expected a file whose name ends in .svg, .png or .pdf, got 'map.eps'");
    check_error<glassbox::UsageError>(
        [] { check_figure_file("x.svg/map"); },
        "--map: expected a file whose name ends in .svg, .png or .pdf, got 'x.svg/map'");
    CHECK_THROWS_AS(write_figure(figure, folder / "missing/a.svg"), glassbox::IoError);
    CHECK_FALSE(std::filesystem::exists(folder / "missing"));
}

TEST_CASE("figure: one that is too large is refused with its size, before it is drawn") {
    check_error<glassbox::UsageError>(
        [] {
            draw_png(dot_figure(Tensor::zeros({1, 11000})));
        },
        "PNG: the picture would be 22209 × 367 pixels (at most 20000 a "
        "side and 100 million): choose fewer steps, layers or heads with --only, or a "
        "shorter sequence");
    const Figure many = dot_figure(Tensor::zeros({600, 501}));
    using Draw = std::string (*)(const Figure&);
    for (const auto& [draw, name] : {std::pair<Draw, const char*>{draw_svg, "SVG"}, {draw_pdf, "PDF"}})
        check_error<glassbox::UsageError>(
            [&, draw = draw] { draw(many); },
            fmt::format("--map: {} of 300600 cells is too large for a viewer (at most 300000): write a .png, "
                        "or choose fewer layers or heads with --only, or a shorter sequence",
                        name));
}

TEST_CASE("figure: a page is no wider than necessary, for any layers, heads and positions", "[exhaustive]") {
    for (const index_t heads : {2, 4, 8, 16, 32})
        for (const index_t n : {4, 10, 16, 64}) {
            std::vector<std::string> names;
            for (index_t i = 0; i < n; ++i) names.push_back(fmt::format("word {}", i));
            const std::vector<Tensor> layers(3, Tensor::full({heads, n, n}, real(0.5)));
            const Figure figure = attention_figure(layers, names, names, "Title");
            const Scene scene = lay_out(figure);
            INFO(heads << " heads, " << n << " positions: " << scene.width << " × " << scene.height);
            CHECK(scene.width <= 930);
            int maps = 0;
            double least = 1e9;
            for (const Mark& mark : scene.marks)
                if (const CellsMark* cells = std::get_if<CellsMark>(&mark)) {
                    ++maps;
                    least = std::min(least, cells->cell * static_cast<double>(n));
                }
            CHECK(maps == 3 * heads);
            CHECK(least >= 72);
        }
}

TEST_CASE("figure: small maps share names and have their scales as text; frames are aligned") {
    std::vector<std::string> names;
    for (int i = 0; i < 16; ++i) names.push_back(fmt::format("w{}", i));
    std::vector<Tensor> layers;
    for (const real weight : {real(0.5), real(0.0625)}) layers.push_back(Tensor::full({8, 16, 16}, weight));
    const Scene scene = lay_out(attention_figure(layers, names, names));
    std::map<std::string, int> texts;
    std::map<double, int> lefts;
    for (const Mark& mark : scene.marks) {
        if (const TextMark* text = std::get_if<TextMark>(&mark)) ++texts[text->text];
        if (const CellsMark* cells = std::get_if<CellsMark>(&mark)) ++lefts[cells->x];
    }
    CHECK(texts["layer 0"] == 1);
    CHECK(texts["layer 1"] == 1);
    CHECK(texts["head 7"] == 2);
    CHECK(texts["0 to 0.5"] == 8);
    CHECK(texts["0 to 0.0625"] == 8);
    CHECK(texts["query"] == 2);  // of each row's first map
    CHECK(texts["key"] == 8);    // of the last row's maps
    CHECK(texts["each map's own scale, from the first number above it to the second"] == 1);
    CHECK(lefts.size() == 8);
    for (const auto& [left, count] : lefts) CHECK(count == 2);
}

TEST_CASE("figure: maps of a column are aligned, for any width of their bars' numbers") {
    const Tensor wide = Tensor::full({2, 3, 3}, real(0.0123)), narrow = Tensor::full({2, 3, 3}, real(1));
    const std::vector<std::string> names{"a", "b", "c"};
    std::map<double, int> lefts;
    for (const Mark& mark : lay_out(attention_figure({wide, narrow}, names, names)).marks)
        if (const CellsMark* cells = std::get_if<CellsMark>(&mark)) ++lefts[cells->x];
    CHECK(lefts.size() == 2);
}
