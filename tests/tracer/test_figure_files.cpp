#include <cstring>

#include "support/catch.h"
#include "tracer/figures/draw.h"
#include "tracer/figures/scene.h"

using namespace glassbox;
using namespace glassbox::tracer;

namespace {

bool is_entity(const std::string& text, std::size_t at) {
    for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
        if (text.compare(at, std::strlen(entity), entity) == 0) return true;
    return false;
}

// Whether ` name="value"` repeats up to the tag's end.
bool are_attributes(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t equals = text.find("=\"", at), end = text.find('"', equals + 2);
        if (text[at] != ' ' || equals == std::string::npos || end == std::string::npos) return false;
        if (text.find_first_of(" \"'<&", at + 1) < equals) return false;
        at = end + 1;
    }
    return true;
}

// Empty when the text is well-formed XML as far as an SVG uses it (properly nested elements, quoted
// attributes, & and < only as markup), else the error.
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

TEST_CASE("svg: tokens are text, with any content") {
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

TEST_CASE("svg: a chart's curves, dashes and marks are drawn in their colours") {
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
}
