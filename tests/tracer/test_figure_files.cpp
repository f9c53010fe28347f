#include <png.h>

#include <cmath>
#include <cstring>

#include "support/catch.h"
#include "tracer/figures/canvas.h"
#include "tracer/figures/draw.h"
#include "tracer/figures/font.h"

using namespace tracer;

namespace {

bool is_entity(const std::string& text, std::size_t at) {
    for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
        if (text.compare(at, std::strlen(entity), entity) == 0) return true;
    return false;
}

// Whether ` name="value"` follows again and again, up to the tag's end.
bool are_attributes(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t equals = text.find("=\"", at), end = text.find('"', equals + 2);
        if (text[at] != ' ' || equals == std::string::npos || end == std::string::npos) return false;
        if (text.find_first_of(" \"'<&", at + 1) < equals) return false;
        at = end + 1;
    }
    return true;
}

// Empty when the text is well-formed XML as far as an SVG uses it (elements closed in order, attributes
// quoted, & and < only as markup), else what is wrong.
std::string xml_fault(const std::string& xml) {
    std::vector<std::string> open;
    for (std::size_t at = xml.find("?>") + 2; at < xml.size(); ++at) {
        if (xml[at] == '&' && !is_entity(xml, at)) return "a lone &: " + xml.substr(at, 20);
        if (xml[at] != '<') continue;
        const std::size_t end = xml.find('>', at);
        if (end == std::string::npos) return "a lone <: " + xml.substr(at, 20);
        std::string tag = xml.substr(at + 1, end - at - 1);
        const bool closes = tag.front() == '/', is_whole = tag.back() == '/';
        if (is_whole) tag.pop_back();
        const std::string name = tag.substr(0, tag.find(' '));
        if (!are_attributes(tag.substr(name.size()))) return "attributes: " + tag;
        if (!closes && !is_whole) open.push_back(name);
        if (closes && (open.empty() || "/" + open.back() != name)) return "closes what is not open: " + name;
        if (closes) open.pop_back();
        at = end;
    }
    return open.empty() ? "" : "not closed: " + open.back();
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
}

struct Picture24 {
    unsigned width = 0, height = 0;
    std::vector<std::uint8_t> pixels;
    Color at(unsigned x, unsigned y) const {
        const std::size_t i = 3 * (std::size_t{y} * width + x);
        return {pixels[i], pixels[i + 1], pixels[i + 2]};
    }
    bool has(Color color) const {
        for (unsigned y = 0; y < height; ++y)
            for (unsigned x = 0; x < width; ++x)
                if (at(x, y) == color) return true;
        return false;
    }
};

Picture24 decoded(const glassbox::Bytes& bytes) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    REQUIRE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()));
    image.format = PNG_FORMAT_RGB;
    Picture24 picture{image.width, image.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(image))};
    REQUIRE(png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr));
    return picture;
}

Figure small_figure() {
    const Tensor attention({2, 2, 2},
                           {0, real(0.25), real(0.5), 1, real(0.75), real(0.125), real(0.9), real(NAN)});
    return attention_figure({attention}, {"je", "étudiant"}, {"je", "étudiant"});
}

}  // namespace

TEST_CASE("svg: well-formed, with a rectangle and a title for every cell") {
    const std::string svg = draw_svg(small_figure());
    CHECK(xml_fault(svg) == "");
    CHECK(count(svg, "<title>") == 8);
    CHECK(svg.find("<title>étudiant → je: 0.5</title>") != std::string::npos);
    CHECK(svg.find("<title>étudiant → étudiant: nan</title>") != std::string::npos);
    CHECK(count(svg, "fill=\"" + hex(color_of(Palette::cividis, 0.25, 0, 1)) + "\"") == 1);
    CHECK(count(svg, ">étudiant</text>") == 4);
    CHECK(svg.find("not a number, or infinite (1 cell)") != std::string::npos);
    CHECK(xml_fault(draw_svg(positional_figure(Tensor::ones({20, 8})))) == "");
    CHECK(xml_fault(svg + "<a>") == "not closed: a");  // the check can fail
    CHECK(xml_fault("<?xml?><a>&</a>") == "a lone &: &</a>");
    CHECK(xml_fault("<?xml?><a><b></a></b>") == "closes what is not open: /a");
    CHECK(xml_fault("<?xml?><a x=1/>") == "attributes: a x=1");
}

TEST_CASE("svg: tokens are text, whatever is in them") {
    const std::vector<std::string> tokens{"<b a=\"x\">&amp;'</b>", "\x01\x1b[31m", "\xff{0}", "\uFFFF"};
    const std::string svg = draw_svg(
        attention_figure({Tensor::zeros({4, 4})}, tokens, tokens, "</title><script>alert(1)</script>"));
    CHECK(xml_fault(svg) == "");
    CHECK(svg.find("<b a") == std::string::npos);
    CHECK(svg.find("<script") == std::string::npos);
    CHECK(svg.find("&lt;b a=&quot;x&quot;&gt;&amp;amp;&#39;&lt;/b&gt; → ") != std::string::npos);
    CHECK(svg.find("\\x01\\x1b[31m</text>") != std::string::npos);
    CHECK(svg.find("\uFFFF") == std::string::npos);
    for (const char c : svg) CHECK((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
}

TEST_CASE("png: has the scene's size, and every cell its value's colour") {
    const Figure figure = small_figure();
    const glassbox::Bytes bytes = draw_png(figure);
    CHECK(std::memcmp(bytes.data(), "\x89PNG\r\n\x1a\n", 8) == 0);
    const Picture24 picture = decoded(bytes);
    const Scene scene = lay_out(figure);
    CHECK(picture.width == static_cast<unsigned>(std::ceil(scene.width * Canvas::scale)));
    CHECK(picture.height == static_cast<unsigned>(std::ceil(scene.height * Canvas::scale)));
    CHECK(picture.at(0, 0) == paper);
    int maps = 0;
    for (const Mark& mark : scene.marks)
        if (const CellsMark* cells = std::get_if<CellsMark>(&mark)) {
            for (std::size_t row = 0; row < 2; ++row)
                for (std::size_t column = 0; column < 2; ++column) {
                    const double x = cells->x + (static_cast<double>(column) + 0.5) * cells->cell;
                    const double y = cells->y + (static_cast<double>(row) + 0.5) * cells->cell;
                    INFO("map " << maps << ", row " << row << ", column " << column);
                    CHECK(picture.at(static_cast<unsigned>(x * Canvas::scale),
                                     static_cast<unsigned>(y * Canvas::scale)) ==
                          color_of(Palette::cividis, static_cast<double>(cells->map->at(row, column)), 0, 1));
                }
            ++maps;
        }
    CHECK(maps == 2);
    CHECK(picture.has(not_finite_color));
}

TEST_CASE("png: neighbouring cells touch, at every size of cell") {
    for (const index_t n : {3, 8, 12, 24, 48, 96, 200, 300}) {
        const Figure figure = dot_figure(Tensor::full({n, n}, real(1)));
        const Scene scene = lay_out(figure);
        Canvas canvas(static_cast<int>(std::ceil(scene.width * 1.5)),
                      static_cast<int>(std::ceil(scene.height * 1.5)));
        for (const Mark& mark : scene.marks)
            if (const CellsMark* cells = std::get_if<CellsMark>(&mark)) {
                canvas.draw(*cells);
                const int y = static_cast<int>((cells->y + cells->cell / 2) * Canvas::scale);
                const int left = static_cast<int>(cells->x * Canvas::scale) + 1;
                const int right =
                    left + static_cast<int>(cells->cell * Canvas::scale) * static_cast<int>(n) - 3;
                int gaps = 0;
                for (int x = left; x < right; ++x) gaps += canvas.at(x, y) == paper;
                INFO(n << " cells");
                CHECK(gaps == 0);
            }
    }
}

TEST_CASE("png: text is drawn letter by letter, accents over their letters, turned text too") {
    const auto drawn = [](const std::string& text, bool is_upright) {
        Canvas canvas(120, 120);
        canvas.draw(TextMark{20, 60, text, Anchor::start, false, is_upright});
        return canvas;
    };
    const auto dark = [](const Canvas& canvas) {
        std::vector<std::pair<int, int>> found;
        for (int y = 0; y < 120; ++y)
            for (int x = 0; x < 120; ++x)
                if (canvas.at(x, y) == ink) found.emplace_back(x, y);
        return found;
    };
    std::size_t expected = 0;
    for (const char32_t c : {U'é', U't'})
        for (const auto row : glyph(c)) expected += static_cast<std::size_t>(__builtin_popcount(row));
    const auto level = dark(drawn("ét", false)), upright = dark(drawn("ét", true));
    CHECK(level.size() == expected);
    REQUIRE(upright.size() == expected);
    for (const auto& [x, y] : level)  // about (30, 90): right becomes up, down becomes right
        CHECK(drawn("ét", true).at(30 + (y - 90), 90 - (x - 30)) == ink);
    const auto combined = dark(drawn("e\u0301", false));
    CHECK(combined.size() > dark(drawn("e", false)).size());
    for (const auto& [x, y] : combined) CHECK((x >= 30 && x < 40));
}

TEST_CASE("font: has the letters of the lesson's languages, sorted, and a box for what it lacks") {
    for (std::size_t i = 1; i < font_size; ++i)
        CHECK(font_pictures[i - 1].character < font_pictures[i].character);
    for (char32_t c = 0x20; c < 0x7F; ++c) CHECK(has_glyph(c));
    for (char32_t c = 0xA0; c < 0x180; ++c) CHECK(has_glyph(c));
    for (const char32_t c : U"αωАя→√…−") CHECK((c == 0 || has_glyph(c)));
    CHECK_FALSE(has_glyph(U'日'));
    CHECK(glyph(U'日') == glyph(U'□'));
    CHECK(glyph(U'A') != glyph(U'□'));
}

TEST_CASE("svg and png: a chart's curves, dashes and marks are drawn in their colours") {
    constexpr Color blue{0, 114, 178}, red{213, 94, 0}, green{0, 158, 115};
    Chart chart;
    chart.title = "a < b";
    chart.x_high = 4;
    chart.series = {{{{0, 0}, {4, 1}}, blue},
                    {{{0, 1}, {4, 0}}, red, true, Chart::Dash::dashed},
                    {{{1, 0.5}, {3, 0.5}}, green, false, Chart::Dash::solid, Chart::Mark::diamond}};
    Figure figure;
    figure.rows.push_back({chart});
    figure.keys = {{"<one>", blue, true, true, Chart::Dash::dotted, Chart::Mark::triangle}};
    figure.notes = {"left out & said"};
    const std::string svg = draw_svg(figure);
    CHECK(xml_fault(svg) == "");
    CHECK(count(svg, "<polyline ") == 3);
    CHECK(count(svg, "<polygon ") == 3);
    CHECK(count(svg, "stroke-dasharray=\"8 4\"") == 1);
    CHECK(count(svg, "stroke-dasharray=\"2 4\"") == 1);
    CHECK(svg.find(">&lt;one&gt;</text>") != std::string::npos);
    CHECK(svg.find(">left out &amp; said</text>") != std::string::npos);
    const Picture24 picture = decoded(draw_png(figure));
    for (const Color color : {blue, red, green}) CHECK(picture.has(color));
}

TEST_CASE("png: dashes leave out what they should, and a polygon is filled and no more") {
    constexpr Color red{255, 0, 0}, blue{0, 0, 255};
    Canvas canvas(300, 60);
    canvas.draw(PathMark{{{0, 10}, {100, 10}, {200, 10}}, red, 2, {20, 20}});
    int drawn = 0;
    for (int x = 0; x < 300; ++x) drawn += canvas.at(x, 15) == red;
    CHECK(drawn >= 150);  // half of 200 units of 1.5 pixels; ends are round
    CHECK(drawn <= 165);
    CHECK(canvas.at(15, 15) == red);
    CHECK(canvas.at(45, 15) == paper);
    CHECK(canvas.at(165, 15) == paper);  // the dashes go on across the corner
    canvas.draw(PolygonMark{{{10, 20}, {30, 20}, {30, 36}, {10, 36}}, blue, blue});
    CHECK(canvas.at(30, 40) == blue);
    CHECK(canvas.at(11, 40) == paper);
    CHECK(canvas.at(49, 40) == paper);
}
