#include <cmath>

#include "command.h"
#include "support/catch.h"
#include "support/transcript.h"
#include "tracer/cli/text_width.h"
#include "tracer/figures/draw.h"

using namespace glassbox;
using namespace glassbox::tracer;
using glassbox_test::without_colors;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = text.find('\n', from);
        lines.push_back(text.substr(from, end - from));
        from = end == std::string::npos ? text.size() : end + 1;
    }
    return lines;
}

}  // namespace

TEST_CASE("terminal figure: two heads, drawn exactly") {
    const Tensor attention({2, 2, 2},
                           {0, real(0.3), real(0.5), 1, real(0.7), real(0.1), real(0.9), real(0.45)});
    Figure figure = attention_figure({attention}, {"je", "été"}, {"je", "été"});
    share_scale(figure);
    CHECK(draw_terminal(figure, Colors::none) ==
          "     head 0         head 1\n"
          " je │   ░░░│    je │▓▓▓   │\n"
          "été │▒▒▒███│   été │███▒▒▒│\n"
          "     je été         je été\n"
          "\n"
          "blank from 0, ░ from 0.2, ▒ from 0.4, ▓ from 0.6, █ from 0.8 to 1\n"
          "down: query, across: key\n");
}

TEST_CASE("terminal figure: names that do not fit on one line start below their columns on several") {
    std::vector<std::string> tokens{"e\u0301t\u00e9", "je", "suis", "\u65e5\u672c", "", "a-very-long-word"};
    tokens.resize(14, "a");
    const Figure figure = attention_figure({Tensor::zeros({1, 14})}, {"q"}, tokens);
    CHECK(draw_terminal(figure, Colors::none)
              .find("   e\u0301t\u00e9 suis  a-very-lo\u2026  a a a\n"
                    "     je  \u65e5\u672c  a a a a a\n") != std::string::npos);
}

TEST_CASE("terminal figure: [CLS] before ten short names reads from left to right") {
    std::vector<std::string> names(11, "2");
    names[0] = "[CLS]";
    const Figure figure = attention_figure({Tensor::zeros({1, 11})}, {"[CLS]"}, names);
    CHECK(draw_terminal(figure, Colors::none)
              .find("       [CLS] 2 2 2 2 2 2 2 2\n"
                    "         2 2\n") != std::string::npos);
}

TEST_CASE("terminal figure: NaN and infinity have their own mark, and are counted") {
    const Figure figure =
        attention_figure({Tensor({{real(NAN), 1}, {-INFINITY, 0}})}, {"a", "b"}, {"a", "b"});
    const std::string text = draw_terminal(figure, Colors::none);
    CHECK(lines_of(text).at(1) == "a │╳╳██│");
    CHECK(lines_of(text).at(2) == "b │╳╳  │");
    CHECK(text.find("╳ not a number, or infinite (2 cells)\n") != std::string::npos);
}

TEST_CASE("terminal figure: heads that do not fit side by side are stacked") {
    const std::vector<std::string> tokens{"<start>", "je",      "suis", "étudiant",
                                          "日本語",  "e\u0301", "x\ny", "<end>"};
    const Figure figure = attention_figure({Tensor::full({4, 8, 8}, real(0.125))}, tokens, tokens);
    for (const Colors colors : {Colors::none, Colors::sixteen, Colors::many, Colors::all}) {
        const std::string text = draw_terminal(figure, colors);
        std::size_t titles = 0;
        for (const std::string& line : lines_of(without_colors(text))) {
            INFO(line);
            CHECK(width_of(line) <= 80);
            if (line.find("head 0") != std::string::npos) {
                CHECK(line.find("head 1") != std::string::npos);
                CHECK(line.find("head 3") == std::string::npos);
            }
            for (std::size_t at = line.find("head "); at != std::string::npos;
                 at = line.find("head ", at + 1))
                ++titles;
        }
        CHECK(titles == 4);
        CHECK(without_colors(text).find("x\\x0ay") !=
              std::string::npos);  // a line break does not break the drawing
    }
    CHECK(lines_of(draw_terminal(figure, Colors::none, 200)).at(0).find("head 3") != std::string::npos);
}

TEST_CASE("terminal figure: colours are the palette's, as many as the terminal has") {
    const Figure figure = attention_figure({Tensor({{0, 1}})}, {"q"}, {"a", "b"});
    const auto has = [&](Colors colors, const char* text) {
        return draw_terminal(figure, colors).find(text) != std::string::npos;
    };
    CHECK(has(Colors::all,
              "\x1b[48;2;0;34;78;38;2;255;255;255m  \x1b[0m"));            // dark blue, with white for text
    CHECK(has(Colors::all, "\x1b[48;2;254;232;56;38;2;0;0;0m  \x1b[0m"));  // yellow
    CHECK(has(Colors::many, "\x1b[48;5;17;38;5;231m  \x1b[0m"));
    CHECK(has(Colors::many, "\x1b[48;5;227;38;5;16m  \x1b[0m"));
    CHECK(without_colors(draw_terminal(figure, Colors::sixteen)) == draw_terminal(figure, Colors::none));
    CHECK_FALSE(has(Colors::sixteen, "[4"));  // no background
    CHECK_FALSE(has(Colors::none, "\x1b"));
}

TEST_CASE("terminal figure: wide ones are cut, with a note") {
    const Figure figure = dot_figure(Tensor::zeros({70, 100}));
    const std::string text = draw_terminal(figure, Colors::none);
    for (const std::string& line : lines_of(text)) CHECK(width_of(line) <= 80);
    CHECK(text.find("the first 64 of 70 rows, 75 of 100 columns\n") != std::string::npos);
}

TEST_CASE("terminal figure: a line plot is in dots, each value at its height") {
    Figure figure;
    LinePlot plot;
    plot.title = "f";
    plot.x = {"", {"1", "2", "3", "4"}, 1};
    plot.series.push_back({"", {1, 0, -1, real(NAN)}, {}});
    figure.rows.push_back({plot});
    const std::string text = draw_terminal(figure, Colors::none);
    glassbox_test::check_transcript("tracer/figure_line_plot", text);
    CHECK(lines_of(text).at(1) == " 1.0 ┤⡄");
    CHECK(lines_of(text).at(9).starts_with("-1.0 ┤"));
}
