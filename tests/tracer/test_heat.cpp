// Colours of numbers, on terminals of both kinds.
#include <fmt/format.h>

#include <cmath>

#include "command.h"
#include "support/compare.h"
#include "tracer/figures/figure.h"
#include "tracer/figures/terminal_color.h"
#include "tracer/report/heat.h"
#include "tracer/report/page.h"
#include "tracer/report/text_report.h"

using namespace glassbox;
using namespace glassbox::tracer;
using glassbox_test::infinity;
using glassbox_test::NaN;
using glassbox_test::without_colors;

namespace {

constexpr double readable = 4.5;                         // WCAG 2.2, 1.4.3
constexpr double discernible = 3;                        // for bars, lines and marks, 1.4.11
constexpr Color dark{30, 30, 30}, light{255, 255, 255};  // common terminal backgrounds

// "48;2;R;G;B" or "48;5;N" of the number printed as `text`; "" where it has no background.
std::string background_of(const std::string& report, const std::string& text) {
    std::string code;
    for (std::size_t i = 0; i < report.size(); ++i) {
        if (report[i] == '\x1b') {
            const std::size_t end = report.find('m', i);
            code = report.substr(i + 2, end - i - 2);
            i = end;
        } else if (report.compare(i, text.size(), text) == 0) {
            return code.substr(0, code.find(";38;"));
        }
    }
    FAIL("there is no " << text);
    return "";
}

Report report_of(std::vector<Report::Step> steps) {
    Report report;
    report.steps = std::move(steps);
    return report;
}

Report::Step step(const std::string& path, const Tensor& value, Report::Kind kind = Report::Kind::number) {
    Report::Step made{path, value};
    made.kind = kind;
    return made;
}

TextStyle style_with(Colors colors) {
    TextStyle style;
    style.colors = colors;
    return style;
}

}  // namespace

TEST_CASE("heat: text on every colour of every palette is legible, by WCAG's formula") {
    CHECK(std::abs(contrast({0, 0, 0}, {255, 255, 255}) - 21) < 1e-9);
    CHECK(std::abs(contrast({119, 119, 119}, {255, 255, 255}) - 4.478) <
          0.001);  // according to WCAG checkers
    for (const Palette palette : {Palette::cividis, Palette::red_blue})
        for (const Colors colors : {Colors::many, Colors::all})
            for (int i = 0; i <= 1000; ++i) {
                const std::optional<Color> background = shown_color(palette, i / 1000.0, colors);
                if (background) CHECK(contrast(text_on(*background), *background) >= readable);
            }
    CHECK(contrast(text_on(not_finite_color), not_finite_color) >= readable);
    for (const Color clear : {clear_red, clear_blue}) {  // on the terminal's background
        CHECK(contrast(clear, {0, 0, 0}) >= readable);
        CHECK(contrast(clear, {255, 255, 255}) >= readable);
        for (const Color background : {dark, light}) CHECK(contrast(clear, background) >= discernible);
    }
}

TEST_CASE("heat: the marks of a positional figure are visible on dark and on light terminals") {
    const Figure figure = positional_figure(Tensor::ones({2, 4}));
    for (std::size_t row = 1; row < figure.rows.size(); ++row)
        for (const Panel& panel : figure.rows[row])
            for (const LinePlot::Series& series : std::get<LinePlot>(panel).series)
                for (const Color background : {dark, light})
                    CHECK(contrast(series.color, background) >= discernible);
}

TEST_CASE("heat: scaling colours its bars, and its words have the terminal's text colour") {
    const glassbox_test::Ran ran =
        glassbox_test::tracer_run({"scaling", "--max-dk", "2", "--seq", "2", "--color", "always"});
    const auto has = [&](const char* part) { return ran.out.find(part) != std::string::npos; };
    CHECK(has("\x1b[1m      without: softmax"));
    CHECK(has("m█"));
}

TEST_CASE("heat: in 256 colours a palette gets steadily darker or lighter and keeps its hues") {
    const auto chosen = [](Palette palette, std::size_t i) { return fixed_color(fixed_colors(palette)[i]); };
    const Color white{255, 255, 255};
    for (std::size_t i = 1; i < fixed_colors(Palette::cividis).size(); ++i)
        CHECK(contrast(chosen(Palette::cividis, i), white) <
              contrast(chosen(Palette::cividis, i - 1), white));
    const std::size_t n = fixed_colors(Palette::red_blue).size(), middle = n / 2;
    CHECK(n % 2 == 1);  // 0 is in the middle of a colour
    for (std::size_t i = 0; i < middle; ++i) {
        const Color low = chosen(Palette::red_blue, i), high = chosen(Palette::red_blue, n - 1 - i);
        CHECK(low.red > low.blue);
        CHECK(high.blue > high.red);
    }
}

TEST_CASE("heat: on a dark and a light terminal a signed number stands out the more the larger it is") {
    const auto colorfulness = [](Color c) {
        return std::max({c.red, c.green, c.blue}) - std::min({c.red, c.green, c.blue});
    };
    for (const int sign : {-1, 1}) {
        int before = 0;
        for (int i = 1; i <= 20; ++i) {
            const std::optional<Color> shown =
                shown_color(Palette::red_blue, 0.5 + sign * i / 40.0, Colors::all);
            CAPTURE(sign, i);
            CHECK(shown.has_value() == (i > 4));
            if (!shown) continue;
            CHECK(colorfulness(*shown) > before);
            before = colorfulness(*shown);
            for (const Color background : {dark, light}) CHECK(contrast(*shown, background) >= discernible);
        }
    }
    for (const Colors colors : {Colors::many, Colors::all})
        CHECK_FALSE(
            shown_color(Palette::red_blue, 0.5, colors).has_value());  // 0 is as quiet as the terminal
}

TEST_CASE("heat: negative numbers are red, positive ones blue, and 0 has no background") {
    const Heat heat{Report::Kind::number, 2, Colors::all};
    CHECK(background_of(heat("-2", -2), "-2") == "48;2;206;48;40");
    CHECK(background_of(heat("2", 2), "2") == "48;2;18;104;206");
    CHECK(heat("0", 0) == "0");
    CHECK(heat("0.01", real(0.01)) == "0.01");
    CHECK(background_of(heat("0.5", real(0.5)), "0.5") == "48;2;80;113;152");  // halfway: √(0.5 / 2)
    CHECK(heat("5", 5) == heat("5", 2));                                       // beyond the end
    const Heat few{Report::Kind::number, 0, Colors::all};
    CHECK(few("0", 0) == "0");  // only zeros
}

TEST_CASE("heat: weights are scaled from 0 to 1, or to the largest of their step") {
    const Heat heat{Report::Kind::weight, 1, Colors::all};
    CHECK(background_of(heat("0.", 0), "0.") == "48;2;0;34;78");
    CHECK(background_of(heat("1.", 1), "1.") == "48;2;254;232;56");
    CHECK(background_of(heat("0.5", real(0.5)), "0.5") == "48;2;125;124;120");
    TextStyle style = style_with(Colors::all);
    const Report report =
        report_of({step("attention", Tensor({{real(0.75), real(0.25)}}), Report::Kind::weight)});
    const auto largest = [&] { return background_of(render_step(report, 0, style), "0.75"); };
    CHECK(largest() == "48;2;188;174;108");
    style.scale = ColorScale::each;
    CHECK(largest() == "48;2;254;232;56");
}

TEST_CASE("heat: the page has the same palettes") {
    std::string script;  // without spaces
    for (const char c : page_script(PageKind::trace).text)
        if (c != ' ' && c != '\n') script += c;
    const auto js = [](Color c) { return fmt::format("[{},{},{}]", c.red, c.green, c.blue); };
    for (const Palette palette : {Palette::cividis, Palette::red_blue}) {
        std::string points;
        for (int i = 0; i <= 8; ++i) points += (i ? "," : "") + js(color_at(palette, i / 8.0));
        CHECK(script.find("[" + points + "]") != std::string::npos);
    }
    CHECK(script.find("=" + js(not_finite_color)) != std::string::npos);
}

TEST_CASE("heat: hidden scores are dim, NaN and infinity stand out, token ids are plain") {
    const Heat number{}, masked{Report::Kind::masked}, word{Report::Kind::word};
    CHECK(number("-9e+15", real(-9e15)) == "\x1b[2m-9e+15\x1b[0m");
    CHECK(masked("-inf", -infinity) == "\x1b[2m-inf\x1b[0m");
    for (const std::string& text : {number("-inf", -infinity), masked("inf", infinity), number("nan", NaN)})
        CHECK(text.find("48;2;230;60;200") != std::string::npos);
    CHECK(word("3.", 3) == "3.");
}

TEST_CASE("heat: the kind of a step's numbers follows from the op that made them") {
    const auto shown = [](const std::string& arguments) {
        glassbox_test::Surroundings around;
        around.set = {"COLORTERM=truecolor"};
        return glassbox_test::tracer_run(glassbox_test::words(arguments + " --color always"), around).out;
    };
    const std::string words = shown("transformer --only source/tokens");
    CHECK(words.find("3 4 5 2") != std::string::npos);
    const std::string answer = shown("transformer --only softmax");  // weights, though not of attention
    const Color weight = color_at(Palette::cividis, 0.40333685);
    CHECK(background_of(answer, "0.40333") ==
          "48;2;" + fmt::format("{};{};{}", weight.red, weight.green, weight.blue));
    const std::string masked = shown("attention --convention paper --mask causal --only masked");
    CHECK(masked.find("-inf\x1b[0m") != std::string::npos);
    CHECK(masked.find("48;2;230;60;200") == std::string::npos);  // hidden by a mask: not an error
}

TEST_CASE("heat: the scale depends only on visible numbers") {
    CHECK(largest_visible(Tensor({{1, real(-9e15)}, {real(-2.5), infinity}, {NaN, -infinity}})) == 2.5);
    CHECK(largest_visible(Tensor::zeros({0})) == 0);
}

namespace {
std::string text_of(const Report& report, const TextStyle& style) {
    return render_header(report, style) + render_steps(report, style);
}
}  // namespace

TEST_CASE("heat: equal numbers in two steps have equal colours, unless each has its own scale") {
    const Report report =
        report_of({step("logits", Tensor({real(0.25), 8})), step("values", Tensor({real(0.25), real(-1.5)})),
                   step("tokens", Tensor{900}, Report::Kind::word)});
    TextStyle style = style_with(Colors::all);
    const std::string first = render_step(report, 0, style), second = render_step(report, 1, style);
    CHECK(text_of(report, style).find(first) != std::string::npos);
    CHECK(background_of(first, "0.25") == background_of(second, "0.25"));
    CHECK(background_of(first, "8.") == "48;2;18;104;206");    // 900 is a token id
    CHECK(background_of(second, "-1.5") != "48;2;206;48;40");  // not at the end of the scale
    style.scale = ColorScale::each;
    CHECK(background_of(render_step(report, 1, style), "-1.5") == "48;2;206;48;40");
    CHECK(background_of(render_step(report, 0, style), "0.25") !=
          background_of(render_step(report, 1, style), "0.25"));
}

TEST_CASE("heat: colours surround every number and change nothing else") {
    const Report report =
        report_of({step("masked", Tensor({{1, real(-9e15)}, {NaN, 4}}), Report::Kind::masked),
                   step("attention", Tensor({{1, 0}, {real(0.25), real(0.75)}}), Report::Kind::weight)});
    const std::string plain = text_of(report, style_with(Colors::none));
    CHECK(plain.find('\x1b') == std::string::npos);
    for (const Colors colors : {Colors::sixteen, Colors::many, Colors::all}) {
        const std::string text = text_of(report, style_with(colors));
        CHECK(text != plain);
        CHECK(without_colors(text) == plain);
        CHECK((text.find("[48;") != std::string::npos) == (colors != Colors::sixteen));
    }
}
