#include "figures/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "cli/number.h"
#include "cli/text_width.h"
#include "figures/scene.h"
#include "figures/svg.h"

// Scalable Vector Graphics 1.1, for browsers and word processors.
namespace glassbox::tracer {
namespace {

// Escapes XML's five special characters; characters that XML 1.0 forbids become U+FFFD.
std::string escaped(const std::string& text) {
    std::string result;
    for (const char32_t c : characters(text)) {
        if (c == '&') result += "&amp;";
        else if (c == '<') result += "&lt;";
        else if (c == '>') result += "&gt;";
        else if (c == '"') result += "&quot;";
        else if (c == '\'') result += "&#39;";
        else if (c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xFFFE || c == 0xFFFF) result += "\uFFFD";
        else result += utf8(c);
    }
    return result;
}

std::string units(double value) { return fmt::format("{:.6g}", std::round(value * 100) / 100); }

std::string listed(const std::vector<Chart::Point>& points) {
    std::string text;
    for (const Chart::Point& point : points)
        text += fmt::format("{}{},{}", text.empty() ? "" : " ", units(point.x), units(point.y));
    return text;
}

enum class Cells { with_titles, in_runs };

class SvgWriter {
  public:
    explicit SvgWriter(Cells cells = Cells::with_titles) : cells_(cells) {}

    void begin(const SvgHead& head) {
        const std::string width = units(std::ceil(head.width)), height = units(std::ceil(head.height));
        put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {2} {3}\" "
            "font-family=\"'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"{4}\" "
            "fill=\"{5}\"{6}>\n",
            units(std::ceil(head.width) * head.zoom), units(std::ceil(head.height) * head.zoom), width,
            height, units(font_units), hex(ink), head.description.empty() ? "" : " role=\"img\"");
        if (!head.title.empty()) put("<title>{}</title>\n", escaped(head.title));
        if (!head.description.empty()) put("<desc>{}</desc>\n", escaped(head.description));
        if (!head.style.empty()) put("<style>\n{}</style>\n", head.style);
        put("<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", width, height, hex(paper));
    }
    void add(const Mark& mark) {
        std::visit([this](const auto& m) { draw(m); }, mark);
    }
    void add(const std::string& xml) { text_ += xml; }
    std::string text() && { return std::move(text_); }

  private:
    template <class... Args>
    void put(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    }
    void draw(const RectMark& m) {
        put("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" "
            "shape-rendering=\"crispEdges\"/>\n",
            units(m.x), units(m.y), units(m.width), units(m.height), hex(m.fill));
    }
    void draw(const LineMark& m) {
        put("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"{}\"/>\n",
            units(m.x1), units(m.y1), units(m.x2), units(m.y2), hex(m.color), units(m.width));
    }
    void draw(const CircleMark& m) {
        put("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\" stroke=\"{}\"/>\n", units(m.x), units(m.y),
            units(m.radius), hex(m.fill), hex(m.edge));
    }
    void draw(const PathMark& m) {
        put("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
            "stroke-linejoin=\"round\"{}/>\n",
            listed(m.points), hex(m.color), units(m.width),
            m.dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", fmt::join(m.dashes, " ")));
    }
    void draw(const PolygonMark& m) {
        put("<polygon points=\"{}\" fill=\"{}\" stroke=\"{}\"/>\n", listed(m.corners), hex(m.fill),
            hex(m.edge));
    }
    void draw(const TextMark& m) {
        static constexpr const char* anchors[] = {"start", "middle", "end"};
        put("<text x=\"{0}\" y=\"{1}\" text-anchor=\"{2}\"{3}{4}{5}{6} "
            "style=\"white-space:pre\">{7}</text>\n",
            units(m.x), units(m.y), anchors[static_cast<int>(m.anchor)],
            m.is_bold ? " font-weight=\"bold\"" : "",
            m.size == 1 ? "" : fmt::format(" font-size=\"{}\"", units(m.size * font_units)),
            m.color == ink ? "" : fmt::format(" fill=\"{}\"", hex(m.color)),
            m.is_upright ? fmt::format(" transform=\"rotate(-90 {} {})\"", units(m.x), units(m.y)) : "",
            m.pieces.empty() ? escaped(m.text) : typeset(m));
    }
    static std::string typeset(const TextMark& m) {
        constexpr double small = 0.75, below = 0.25;  // of the font's size
        const double size = m.size * font_units, down = below * size;
        std::string xml;
        bool is_below = false;
        for (const MathPiece& piece : m.pieces) {
            if (piece.is_below)
                xml += fmt::format("<tspan dy=\"{}\" font-size=\"{}\">{}</tspan>", units(down),
                                   units(small * size), escaped(piece.text));
            else
                xml += is_below
                           ? fmt::format("<tspan dy=\"{}\">{}</tspan>", units(-down), escaped(piece.text))
                           : escaped(piece.text);
            is_below = piece.is_below;
        }
        return xml;
    }
    // Neighbours of one colour in one piece: small, and without what a pointer would be told.
    void draw_runs(const CellsMark& m) {
        const auto color = [&](std::size_t row, std::size_t column) {
            return m.colors[row * m.columns + column];
        };
        put("<g shape-rendering=\"crispEdges\">\n");
        for (std::size_t row = 0; row < m.map->y.names.size(); ++row)
            for (std::size_t begin = 0, end; begin < m.columns; begin = end) {
                for (end = begin + 1; end < m.columns && color(row, end) == color(row, begin);) ++end;
                put("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
                    units(m.x + static_cast<double>(begin) * m.cell),
                    units(m.y + static_cast<double>(row) * m.cell),
                    units(static_cast<double>(end - begin) * m.cell), units(m.cell), hex(color(row, begin)));
            }
        put("</g>\n");
    }
    void draw(const CellsMark& m) {
        if (cells_ == Cells::in_runs) return draw_runs(m);
        put("<g shape-rendering=\"crispEdges\">\n");
        for (std::size_t row = 0; row < m.map->y.names.size(); ++row)
            for (std::size_t column = 0; column < m.map->x.names.size(); ++column) {
                const std::string what =
                    fmt::format(fmt::runtime(m.map->hover), m.map->y.names[row], m.map->x.names[column]);
                put("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"><title>{}: "
                    "{}</title></rect>\n",
                    units(m.x + static_cast<double>(column) * m.cell),
                    units(m.y + static_cast<double>(row) * m.cell), units(m.cell), units(m.cell),
                    hex(m.colors[row * m.columns + column]), escaped(what),
                    number(m.map->at(row, column), 4));
            }
        put("</g>\n");
    }

    Cells cells_;
    std::string text_;
};

}  // namespace

std::string svg_head(const SvgHead& head) {
    SvgWriter svg;
    svg.begin(head);
    return std::move(svg).text();
}

std::string svg_of(const Mark& mark) {
    SvgWriter svg;
    svg.add(mark);
    return std::move(svg).text();
}

std::string draw_svg(const Figure& figure) {
    check_cells(figure, "SVG");
    const Scene scene = lay_out(figure);
    SvgWriter svg;
    svg.begin({.width = scene.width, .height = scene.height, .title = scene.title});
    for (const Mark& mark : scene.marks) svg.add(mark);
    svg.add("</svg>\n");
    return std::move(svg).text();
}

constexpr double overlap = 0.02;  // percent of a round: no moment is without a frame

// What all frames have is drawn once. A frame is visible for its time and hidden for the rest of the round;
// without motion only the last one is. A round begins with the last one, which says where it leads.
std::string draw_svg_play(const std::vector<Figure>& frames) {
    constexpr double seconds = play_seconds, last_seconds = last_play_seconds;
    const double last_begins = poster_seconds + seconds * static_cast<double>(frames.size() - 1),
                 round = last_begins + last_seconds;
    for (const Figure& frame : frames) check_cells(frame, "SVG");
    const std::vector<Scene> scenes = scenes_of_play(frames);
    std::vector<std::vector<std::string>> marks;
    std::map<std::string, std::size_t> count;
    for (const Scene& scene : scenes) {
        marks.emplace_back();
        for (const Mark& mark : scene.marks) {
            SvgWriter one(Cells::in_runs);
            one.add(mark);
            marks.back().push_back(std::move(one).text());
            ++count[marks.back().back()];
        }
    }
    const auto in_all = [&](const std::string& mark) { return count[mark] == frames.size(); };
    SvgWriter svg;
    constexpr double wide = 760, most = 2;  // as wide as a document's text, if its letters stay small enough
    const double width = scenes[0].width;
    svg.begin(
        {.width = width,
         .height = scenes[0].height,
         .zoom = std::clamp(wide / std::max(1., std::ceil(width)), 1., most),
         .style = fmt::format(
             ".frame{{visibility:hidden;animation:frame {0}s step-end infinite}}\n"
             ".last{{animation-name:last}}\n"
             "@keyframes frame{{0%{{visibility:visible}}{1}%{{visibility:hidden}}}}\n"
             "@keyframes "
             "last{{0%{{visibility:visible}}{2}%{{visibility:hidden}}{3}%,100%{{visibility:visible}}}}\n"
             "@media "
             "(prefers-reduced-motion:reduce){{.frame{{animation:none}}.last{{visibility:visible}}}}\n",
             units(round), units(100 * seconds / round + overlap),
             units(100 * poster_seconds / round + overlap), units(100 * last_begins / round))});
    for (const std::string& mark : marks[0])
        if (in_all(mark)) svg.add(mark);
    for (std::size_t i = 0; i < marks.size(); ++i) {
        svg.add(fmt::format(
            "<g class=\"frame{}\" style=\"animation-delay:{}s\">\n", i + 1 == marks.size() ? " last" : "",
            units(i + 1 == marks.size() ? 0 : poster_seconds + seconds * static_cast<double>(i))));
        for (const std::string& mark : marks[i])
            if (!in_all(mark)) svg.add(mark);
        svg.add("</g>\n");
    }
    svg.add("</svg>\n");
    return std::move(svg).text();
}

}  // namespace glassbox::tracer
