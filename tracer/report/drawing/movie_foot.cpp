#include "report/drawing/movie_foot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <sstream>

#include "cli/text_width.h"
#include "figures/panel_box.h"
#include "report/drawing/cells.h"

namespace glassbox::tracer::drawing {
namespace {

constexpr double note_size = 1.25, line_of_note = 20, bar_height = 25, whole_width = 150;

// With a real minus before numbers, as in the cells.
std::string typeset(const std::string& arithmetic) {
    std::string text;
    for (std::size_t i = 0; i < arithmetic.size(); ++i) {
        const bool is_minus =
            arithmetic[i] == '-' && i + 1 < arithmetic.size() &&
            (arithmetic[i + 1] == ' ' || std::isdigit(static_cast<unsigned char>(arithmetic[i + 1])));
        text += is_minus ? "−" : arithmetic.substr(i, 1);
    }
    return text;
}

// What an operator or a sign of equality begins: where a line may be broken.
std::size_t last_break(const std::string& text, const std::function<bool(const std::string&)>& fits) {
    std::size_t best = text.npos;
    for (std::size_t at = text.find(' ', 1); at != text.npos; at = text.find(' ', at + 1)) {
        const std::string_view rest = std::string_view(text).substr(at);
        const auto begins = [&](std::string_view sign) { return rest.starts_with(sign); };
        if (!begins(" = ") && !begins(" ≈ ") && !begins(" + ") && !begins(" / ") && !begins(" − ")) continue;
        if (!fits(text.substr(0, at))) break;
        best = at;
    }
    return best;
}

}  // namespace

std::vector<std::string> lines_of(const std::string& note, double width) {
    constexpr std::size_t most = 3;
    constexpr double usual = 0.9;  // of the width in the widest common font
    const auto fits = [&](const std::string& text) { return usual * width_units(text) <= width; };
    std::vector<std::string> lines;
    std::istringstream text(typeset(note));
    for (std::string line; std::getline(text, line);) {
        line = printable_lines(line);
        for (std::size_t part = 1; !fits(line) && part < most; ++part) {
            const std::size_t at = last_break(line, fits);
            if (at == line.npos) break;
            lines.push_back(line.substr(0, at));
            line = "   " + line.substr(at);
        }
        if (!fits(line)) {
            const std::size_t sign = std::max(line.rfind(" = ") + 1, line.rfind(" ≈ ") + 1);
            const std::string result = sign == 0 ? "" : line.substr(sign - 1);
            std::string head = line.substr(0, line.size() - result.size());
            while (!head.empty() && !fits(head + "…" + result)) head = head.substr(0, head.rfind(' '));
            line = head + " …" + result;
        }
        lines.push_back(line);
    }
    return lines;
}

double MovieFoot::text_width() const {
    return scene_.seen_width() - 2 * page_margin - (scene_.has_view() ? whole_width : 0);
}

std::vector<std::string> MovieFoot::arithmetic_of(const Beat& beat) const {
    return explains() ? std::vector<std::string>() : lines_of(beat.note, text_width() / note_size);
}

std::vector<std::string> MovieFoot::meaning_of(const Beat& beat) const {
    if (!beat.of || beat.of->sentence.empty()) return {};
    constexpr double letter = 6.4;  // as wide as most are
    std::istringstream text(
        wrapped(printable(beat.of->sentence), static_cast<int>(text_width() / note_size / letter)));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

double MovieFoot::height() const {
    std::size_t most = 1;
    for (const Beat& beat : timeline_.beats)
        most = std::max(most, meaning_of(beat).size() + arithmetic_of(beat).size());
    return bar_height + 9 + line_of_note * static_cast<double>(most);
}

// "encoder/0/self_attn · head 1 · attention"
std::string MovieFoot::place_of(const Beat& beat) const {
    if (!beat.of) return "";
    const std::string &heading = strips_[beat.strip].heading, &path = beat.of->path;
    const std::string name =
        path.starts_with(heading + "/") ? path.substr(heading.size() + 1) : last_part(path);
    return printable(heading + (heading.empty() ? "" : " · ") + name);
}

void MovieFoot::show(std::vector<Mark> marks, std::size_t from, std::size_t until) {
    scene_.parts.push_back({std::move(marks), static_cast<int>(from), static_cast<int>(until), true});
}

void MovieFoot::draw() {
    const double top = scene_.seen_height() - height(), width = scene_.seen_width() - 2 * page_margin;
    const std::size_t count = timeline_.beats.size();
    show({RectMark{0, top, scene_.seen_width(), height(), paper},
          RectMark{page_margin, top + 2, width, 3, grid_color}},
         0, count);
    for (std::size_t begin = 0, end; begin < count; begin = end) {
        const Beat& first = timeline_.beats[begin];
        const auto goes_on = [&](const Beat& beat) {
            return beat.step == first.step && beat.strip == first.strip && beat.of == first.of;
        };
        for (end = begin + 1; end < count && goes_on(timeline_.beats[end]);) ++end;
        const std::string steps = fmt::format("{} of {}", first.step, timeline_.steps);
        std::vector<Mark> marks{
            text_at(scene_.seen_width() - page_margin, top + 19, steps, Anchor::end, quiet_ink),
            text_at(page_margin, top + 19, place_of(first), Anchor::start, ink, true)};
        double y = top + bar_height;
        for (const std::string& line : meaning_of(first))
            marks.push_back(math_at(page_margin, y += line_of_note, line, ink, false, note_size));
        show(std::move(marks), begin, end);
        for (std::size_t i = begin; i < end; ++i) draw_arithmetic(i, top, y);
    }
    if (scene_.has_view()) draw_whole();
}

void MovieFoot::draw_arithmetic(std::size_t number, double top, double y) {
    const double share = static_cast<double>(number + 1) / static_cast<double>(timeline_.beats.size());
    std::vector<Mark> marks{
        RectMark{page_margin, top + 2, (scene_.seen_width() - 2 * page_margin) * share, 3, pale_ink}};
    for (const std::string& line : arithmetic_of(timeline_.beats[number]))
        marks.push_back(math_at(page_margin, y += line_of_note, line, quiet_ink, false, note_size));
    show(std::move(marks), number, number + 1);
}

// What is filled, and what is seen now.
void MovieFoot::draw_whole() {
    const std::size_t count = timeline_.beats.size();
    const double room = height() - bar_height - 6;
    const double scale = std::min((whole_width - 16) / scene_.width, room / scene_.height);
    const double left = scene_.seen_width() - page_margin - scene_.width * scale,
                 top = scene_.seen_height() - room - 3;
    const auto small = [&](const PlacedGrid& grid, Color color) {
        return RectMark{left + grid.x * scale, top + grid.y * scale, grid.width() * scale,
                        grid.height() * scale, color};
    };
    std::vector<Mark> all;
    std::map<int, std::vector<Mark>> filled;
    for (const PlacedGrid& grid : layout_.grids) {
        all.push_back(small(grid, grid_color));
        const std::vector<Place>& places = grid.grid->places;
        filled[places.empty() ? 0 : timeline_.beat_of(source_, places[0])].push_back(small(grid, pale_ink));
    }
    show(std::move(all), 0, count);
    for (auto& [from, marks] : filled) show(std::move(marks), static_cast<std::size_t>(from), count);
    const std::vector<Chart::Point>& corners = scene_.view.corners;
    const double width = scene_.view.width, seen = scene_.view.height - height();
    for (std::size_t begin = 0, end; begin < corners.size(); begin = end) {
        const Chart::Point& at = corners[begin];
        for (end = begin + 1; end < corners.size() && corners[end].x == at.x && corners[end].y == at.y;)
            ++end;
        std::vector<Mark> now;
        draw_frame(now, left + at.x * scale, top + at.y * scale, width * scale, seen * scale, light_color);
        show(std::move(now), begin, end);
    }
}

}  // namespace glassbox::tracer::drawing
