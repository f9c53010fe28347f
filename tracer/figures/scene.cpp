#include "figures/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "cli/number.h"
#include "figures/arrange.h"
#include "figures/panel_box.h"

namespace glassbox::tracer {
namespace {

constexpr double margin = 14;    // around the figure
constexpr double line_gap = 18;  // between lines of panels

std::size_t not_finite_in(const Figure& figure) {
    std::size_t count = 0;
    for (const std::vector<Panel>& row : figure.rows)
        for (const Panel& panel : row)
            if (const HeatMap* map = std::get_if<HeatMap>(&panel)) count += map->not_finite();
    return count;
}

bool has_hidden(const Figure& figure) {
    for (const std::vector<Panel>& row : figure.rows)
        for (const Panel& panel : row)
            if (const HeatMap* map = std::get_if<HeatMap>(&panel); map && map->hidden_cells() > 0)
                return true;
    return false;
}

// Stacks a figure's parts from top to bottom.
class Layout {
  public:
    explicit Layout(const Figure& figure) : figure_(figure), page_(arranged(figure)) {}

    Scene scene() && {
        add_title();
        for (const BoxLine& line : page_.lines) scene_.width = std::max(scene_.width, line.width());
        if (!figure_.keys.empty()) y_ += draw_keys(scene_, figure_.keys, margin, y_, scene_.width) + 8;
        for (const BoxLine& line : page_.lines) add_line(line);
        if (!page_.lines.empty()) y_ -= line_gap;
        if (page_.have_scale_text) add_scale();
        add_notes();
        scene_.width += 2 * margin;
        scene_.height = y_ + margin;
        for (Mark& mark : scene_.marks)
            if (TextMark* text = std::get_if<TextMark>(&mark))
                text->max_width = width_units(text->text, text->is_bold) + word_gap;
        return std::move(scene_);
    }

  private:
    void add_title() {
        constexpr int line_columns = 80, most = 240;
        scene_.title = shortened(printable(figure_.title), most);
        if (scene_.title.empty()) return;
        std::istringstream lines(wrapped(scene_.title, line_columns));
        for (std::string line; std::getline(lines, line); y_ += 16) {
            scene_.marks.push_back(TextMark{margin, y_ + 12, line, Anchor::start, true});
            scene_.width = std::max(scene_.width, width_units(line, true));
        }
        y_ -= 16;
        y_ += line_height + 10;
    }
    void add_line(const BoxLine& line) {
        if (!line.heading.empty()) {
            scene_.marks.push_back(TextMark{margin, y_ + 12, printable(line.heading), Anchor::start, true});
            y_ += line_height + 4;
        }
        double x = margin, height = 0;
        for (const auto& box : line.boxes) {
            box->draw(scene_, x, y_);
            x += box->width() + line.gap;
            height = std::max(height, box->height());
        }
        y_ += height + line_gap;
    }
    // A line of text below everything, after `sample` units for a colour sample.
    void add_note(const std::string& text, double sample = 0) {
        y_ += line_height;
        scene_.marks.push_back(TextMark{margin + sample, y_, text});
        scene_.width = std::max(scene_.width, sample + width_units(text));
    }
    void add_scale() {
        y_ += 10;
        const auto is_map = [](const Panel& panel) { return std::holds_alternative<HeatMap>(panel); };
        for (const std::vector<Panel>& row : figure_.rows)
            if (const auto map = std::find_if(row.begin(), row.end(), is_map); map != row.end()) {
                add_note("each map's own scale, from the first number above it to the second", 108);
                return draw_palette(scene_, std::get<HeatMap>(*map).palette, margin, y_ - 10, 100, 12);
            }
    }
    void add_notes() {
        if (const std::size_t count = not_finite_in(figure_)) {
            add_note(
                fmt::format("not a number, or infinite ({})", counted(static_cast<index_t>(count), "cell")),
                18);
            scene_.marks.push_back(RectMark{margin, y_ - 10, 12, 12, not_finite_color});
        }
        if (has_hidden(figure_)) {
            add_note(hidden_note, 18);
            scene_.marks.push_back(RectMark{margin, y_ - 10, 12, 12, hidden_color});
            scene_.marks.push_back(LineMark{margin, y_ + 2, margin + 12, y_ - 10, hatch_color});
        }
        for (const std::vector<Panel>& row : figure_.rows)
            for (const Panel& panel : row)
                if (const HeatMap* map = std::get_if<HeatMap>(&panel); map && map->not_there() > 0) {
                    add_note(printable(map->absent), 18);
                    scene_.marks.push_back(RectMark{margin, y_ - 10, 12, 12, absent_color});
                }
        for (const std::string& text : figure_.notes) add_note(printable(text));
    }

    const Figure& figure_;
    Page page_;
    Scene scene_;
    double y_ = margin;
};

}  // namespace

double width_units(const std::string& text, bool is_bold) {
    double units = 0;
    for (const char32_t c : characters(text)) {
        const auto is_one_of = [c](std::u32string_view some) { return some.find(c) != some.npos; };
        if (width_of(c) != 1) units += width_of(c) * font_units / 2;
        else if (is_one_of(U"fijlrtI .,:;'|!()[]/-·⁰¹²³⁴⁵⁶⁷⁸⁹⁻")) units += 5;
        else if (is_one_of(U"mwMW@%…—")) units += 12;
        else units += (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? 8.2 : 7.4;
    }
    return is_bold ? 1.12 * units : units;
}

// What stands below the line follows one letter, as in d_model and W_Q,i, or is the number of a head; not
// what is part of a name: q_proj.weight, self_attn/output.
std::vector<MathPiece> math_pieces(const std::string& text) {
    const std::vector<char32_t> all = characters(text);
    const auto is_small = [](char32_t c) { return c >= 'a' && c <= 'z'; };
    const auto is_letter = [&](char32_t c) {
        return is_small(c) || (c >= 'A' && c <= 'Z') || (c >= U'Α' && c <= U'ω') || c == U'Σ';
    };
    const auto is_word = [&](char32_t c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
    const auto at = [&](std::size_t i) { return i < all.size() ? all[i] : char32_t(' '); };
    const auto is_head = [&](std::size_t end) {
        constexpr std::u32string_view head = U"head";
        return end >= head.size() && std::equal(head.begin(), head.end(),
                                                all.begin() + static_cast<std::ptrdiff_t>(end - head.size()));
    };
    std::vector<MathPiece> pieces{{""}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::size_t begin = i;
        while (begin > 0 && is_word(all[begin - 1])) --begin;
        std::size_t end = i + 1;
        while (is_word(at(end)) && at(end) != '_') ++end;
        const bool is_one = i - begin == 1 && is_letter(at(begin)),
                   is_number = i - begin == 4 && is_head(i) && end - i == 2;
        const bool is_name = at(end) == '_' || at(end) == '/' || (at(end) == '.' && is_word(at(end + 1)));
        if (all[i] != '_' || end == i + 1 || !(is_one || is_number) || is_name) {
            pieces.back().text += utf8(all[i]);
            continue;
        }
        if (at(end) == ',' && is_small(at(end + 1)) && !is_word(at(end + 2))) end += 2;
        pieces.push_back({"", true});
        for (std::size_t k = i + 1; k < end; ++k) pieces.back().text += utf8(all[k]);
        pieces.push_back({""});
        i = end - 1;
    }
    std::erase_if(pieces, [](const MathPiece& piece) { return piece.text.empty(); });
    return pieces;
}

Scene lay_out(const Figure& figure) { return Layout(figure).scene(); }

}  // namespace glassbox::tracer
