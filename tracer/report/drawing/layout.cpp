#include "report/drawing/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <regex>
#include <set>

#include "figures/panel_box.h"
#include "report/drawing/cells.h"

namespace glassbox::tracer::drawing {
namespace {

constexpr double parts_height = 17, name_height = 17, formula_height = 15, strip_gap = 22,
                 heading_height = 22, column_gap = 30;

// The words along an axis, counted from the end; none if they are not known.
std::vector<std::string> words_of(const Report::Step* step, int from_end, index_t count) {
    if (!step || static_cast<int>(step->axes.size()) < from_end) return {};
    const Report::Axis& axis = step->axes[step->axes.size() - static_cast<std::size_t>(from_end)];
    if (static_cast<index_t>(axis.words.size()) != count) return {};
    std::vector<std::string> words;
    for (std::size_t i = 0; i < axis.words.size(); ++i) words.push_back(name_at(axis, i));
    return words;
}

double widest(const std::vector<std::string>& words) {
    double width = 0;
    for (const std::string& word : words) width = std::max(width, width_units(word));
    return width;
}

// The words above a matrix, upwards where one is wider than its cell.
struct ColumnWords {
    std::vector<std::string> words;
    bool are_upright = false;

    double height() const { return words.empty() ? 0 : are_upright ? widest(words) + 8 : name_height; }
};

// The height of what stands above a result: its operands, the first with the words.
double above_height(const Panel& panel, const CellLook& look, const ColumnWords& heads) {
    double height = heads.height();
    for (const Grid& each : panel.above)
        height += name_height + static_cast<double>(each.rows) * look.height + 8;
    return height;
}

// Name, formula and expected numbers.
double height_below(const Panel& panel, const CellLook& look) {
    const double names = (panel.parts.empty() ? 0 : parts_height) + name_height +
                         formula_height * static_cast<double>(panel.formula.size());
    if (!panel.has_expected()) return names;
    return names + 9 + 2 * (name_height + static_cast<double>(panel.grid.rows) * look.height) + 5;
}

class Page {
  public:
    Page(const Source& source, double top) : source_(source), top_(top), y_(top) {}

    // The strips that follow stand beside those before.
    void begin_column() {
        left_ = page_.width + column_gap;
        page_.texts.push_back(LineMark{left_ - column_gap / 2 - page_margin / 2, top_,
                                       left_ - column_gap / 2 - page_margin / 2, y_ - strip_gap, grid_color});
        bottom_ = std::max(bottom_, y_);
        y_ = top_;
        last_heading_.clear();
    }

    void add(const Strip& strip, int note_lines) {
        const std::size_t number = page_.notes.size();
        const double above_all = y_;
        page_.tops.push_back(y_);
        page_.lefts.push_back(left_ - page_margin);
        if (!strip.heading.empty() && strip.heading != last_heading_) {
            page_.texts.push_back(
                text_at(left_, y_ + 14, printable(strip.heading), Anchor::start, ink, true));
            y_ += heading_height;
        }
        last_heading_ = strip.heading;
        double above = 0, rows = 0, below = 0;
        for (const Panel& panel : strip.panels) {
            above = std::max(above, above_height(panel, strip.look, column_words(panel, strip)));
            rows = std::max(rows, static_cast<double>(panel.grid.rows) * strip.look.height);
            below = std::max(below, height_below(panel, strip.look));
        }
        const double main = y_ + above;
        double x = left_;
        std::vector<std::string> shown_words;
        std::vector<std::size_t> own;  // the panels' grids
        for (const Panel& panel : strip.panels) {
            x = add_joint(panel, x, main, rows, own.empty());
            const std::vector<std::string> words = row_words(panel, strip);
            double left = x;
            if (!words.empty() && words != shown_words) left = add_row_words(words, strip.look, x, main);
            shown_words = words;
            for (const Grid& each : panel.above)
                left = std::max(left, x + words_room(row_words(each, strip)));
            x = left;
            own.push_back(page_.grids.size());
            x = add_panel(panel, strip, number, own, x, main);
        }
        page_.width = std::max(page_.width, x + page_margin);
        y_ = main + rows + below;
        page_.notes.push_back(y_ + note_height + 3);
        y_ += note_lines * note_height + (note_lines > 0 ? 6 : 0) + strip_gap;
        page_.heights.push_back(y_ - above_all);
        page_.widths.push_back(x + page_margin - left_);
    }

    Layout layout() && {
        page_.height = std::max(y_, bottom_) - strip_gap;
        return std::move(page_);
    }

  private:
    static std::vector<std::string> row_words(const Panel& panel, const Strip& strip) {
        if (!strip.look.has_words() || panel.grid.is_turned) return {};
        return words_of(panel.step, 2, panel.grid.rows);
    }
    // Of what stands above a result: the keys beside V.
    std::vector<std::string> row_words(const Grid& grid, const Strip& strip) const {
        if (!strip.look.has_words() || grid.is_turned) return {};
        return words_of(source_.numbers(grid.node).step, 2, grid.rows);
    }
    // Upwards in all panels of a strip if in one.
    static ColumnWords column_words(const Panel& panel, const Strip& strip) {
        const auto words = [&](const Panel& of) {
            return strip.look.has_words() && !of.grid.is_turned ? words_of(of.step, 1, of.grid.columns)
                                                                : std::vector<std::string>();
        };
        const auto is_wide = [&](const Panel& each) { return widest(words(each)) + 4 > strip.look.width; };
        return {words(panel), std::any_of(strip.panels.begin(), strip.panels.end(), is_wide)};
    }
    static double words_room(const std::vector<std::string>& words) {
        return words.empty() ? 0 : widest(words) + 7;
    }

    // An arrow, or a sign between two matrices.
    double add_joint(const Panel& panel, double x, double main, double rows, bool is_first) {
        if (is_first) return x;
        const double width = joint_width(panel), middle = x + width / 2;
        const double y = main + std::min(rows, static_cast<double>(panel.grid.rows) * 26) / 2;
        if (panel.joint == "→") {
            page_.texts.push_back(LineMark{middle - 9, y, middle + 5, y, pale_ink, 1.5});
            page_.texts.push_back(PolygonMark{
                {{middle + 4, y - 4}, {middle + 10, y}, {middle + 4, y + 4}}, pale_ink, pale_ink});
        } else if (!panel.joint.empty()) {
            page_.texts.push_back(text_at(middle, y + 6, panel.joint, Anchor::middle, quiet_ink, false, 1.5));
        }
        return x + width;
    }

    double add_row_words(const std::vector<std::string>& words, const CellLook& look, double x, double main) {
        const double right = x + widest(words);
        for (std::size_t i = 0; i < words.size(); ++i)
            page_.texts.push_back(
                text_at(right, main + (static_cast<double>(i) + 0.5) * look.height + baseline_offset,
                        words[i], Anchor::end, quiet_ink));
        return x + words_room(words);
    }

    void add_column_words(const ColumnWords& heads, const CellLook& look, double x, double bottom) {
        for (std::size_t j = 0; j < heads.words.size(); ++j) {
            const double middle = x + (static_cast<double>(j) + 0.5) * look.width;
            TextMark mark = text_at(middle, bottom - 5, heads.words[j], Anchor::middle, quiet_ink);
            if (heads.are_upright)
                mark.x += baseline_offset, mark.anchor = Anchor::start, mark.is_upright = true;
            page_.texts.push_back(std::move(mark));
        }
    }

    void add_name(double x, double y, const std::string& name) {
        page_.texts.push_back(math_at(x, y, printable(name), ink, true));
    }

    // Below its columns, each with a line along them.
    void add_parts(const Panel& panel, const CellLook& look, double x, double y) {
        for (const ColumnsOf& part : panel.parts) {
            const double left = x + static_cast<double>(part.first) * look.width + 3,
                         right = x + static_cast<double>(part.first + part.count) * look.width - 4;
            page_.texts.push_back(LineMark{left, y + 4, right, y + 4, pale_ink, 1.5});
            page_.texts.push_back(text_at((left + right) / 2, y + 16, part.name, Anchor::middle, quiet_ink));
        }
    }

    double add_panel(const Panel& panel, const Strip& strip, std::size_t number,
                     const std::vector<std::size_t>& own, double x, double main) {
        const CellLook& look = strip.look;
        page_.grids.push_back({&panel.grid, look, x, main, number, panel.is_result});
        const ColumnWords heads = column_words(panel, strip);
        double top = main - above_height(panel, look, heads);
        PlacedResult result{&panel, number, own.back()};
        for (const std::size_t each : panel.beside) result.beside.push_back(own[each]);
        for (std::size_t i = 0; i < panel.above.size(); ++i) {
            add_name(x, top + name_height - 5, panel.above_names[i]);
            // x W + b: what is added to a product.
            if (i > 0 && panel.made.is_product)
                page_.texts.push_back(text_at(x - 12, top + name_height + look.height / 2 + 5, "+",
                                              Anchor::middle, quiet_ink, false, 1.3));
            if (i == 0) top += heads.height(), add_column_words(heads, look, x, top + name_height);
            if (const std::vector<std::string> words = row_words(panel.above[i], strip); !words.empty())
                add_row_words(words, look, x - words_room(words), top + name_height);
            result.above.push_back(page_.grids.size());
            page_.grids.push_back({&panel.above[i], look, x, top + name_height, number});
            top += name_height + static_cast<double>(panel.above[i].rows) * look.height + 8;
        }
        if (panel.above.empty()) add_column_words(heads, look, x, main);
        double below = main + static_cast<double>(panel.grid.rows) * look.height;
        if (!panel.parts.empty()) add_parts(panel, look, x, below), below += parts_height;
        add_name(x, below + 15, panel.name);
        double text_y = below + 15;
        for (const std::string& line : panel.formula)
            page_.texts.push_back(math_at(x, text_y += formula_height, printable(line), quiet_ink));
        if (panel.is_result) page_.results.push_back(std::move(result));
        if (panel.has_expected()) {
            const double y = text_y + 7 + name_height,
                         rows = static_cast<double>(panel.grid.rows) * look.height;
            page_.expected.push_back({&panel, look, x, y, own.back(), y + rows + 5 + name_height});
        }
        return x + width_of(panel, look);
    }

    const Source& source_;
    const double top_;
    double left_ = page_margin, y_, bottom_ = 0;
    std::string last_heading_;
    Layout page_;
};

// Numbers as cells show them: "1e-06" as 10⁻⁶.
std::string with_powers(const std::string& text) {
    static const std::regex number(
        "(^|[^A-Za-z0-9_.])(-?)([0-9]+(?:\\.[0-9]+)?)e((?:\\+|-|−)?)([0-9]+)(?![A-Za-z0-9_])");
    std::string made, rest = text;
    for (std::smatch found; std::regex_search(rest, found, number); rest = found.suffix()) {
        const bool is_small = found[4] == "-" || found[4] == "−";
        const int power = std::atoi(found[5].str().c_str());
        made += found.prefix().str() + found[1].str() + (found[2].length() > 0 ? "−" : "") +
                power_of_ten(found[3], is_small ? -power : power);
    }
    return made + rest;
}

// How far its shape is from a slide's.
double off_slide(const Layout& layout) {
    return std::abs(std::log(layout.width / layout.height / (16. / 9)));
}

// The strips with which columns begin, so that the tallest column is as low as can be.
std::set<std::size_t> breaks_of(const std::vector<double>& heights, std::size_t columns) {
    double low = *std::max_element(heights.begin(), heights.end()),
           high = std::accumulate(heights.begin(), heights.end(), 0.);
    const auto filled = [&](double most) {
        std::set<std::size_t> breaks;
        double height = 0;
        for (std::size_t i = 0; i < heights.size(); height += heights[i++])
            if (height + heights[i] > most) breaks.insert(i), height = 0;
        return breaks;
    };
    while (high - low > 1) {
        const double middle = (low + high) / 2;
        (filled(middle).size() < columns ? high : low) = middle;
    }
    return filled(high);
}

}  // namespace

std::string name_at(const Report::Axis& axis, std::size_t place) {
    constexpr int max_word = 12;  // columns; longer words are cut
    if (place < axis.answers.size()) return fmt::format("{} → {}", place, printable(axis.answers[place]));
    if (place >= axis.words.size()) return std::to_string(place);
    const std::string word = shortened(printable(axis.words[place]), max_word);
    const bool is_position = axis.name == "position" || axis.name == "query" || axis.name == "key";
    return is_position ? at_position(word, place) : word;
}

Layout laid_out(const Source& source, const std::vector<Strip>& strips, const std::vector<int>& note_lines,
                double top, Columns columns) {
    const auto with_breaks = [&](const std::set<std::size_t>& breaks) {
        Page page(source, top);
        for (std::size_t i = 0; i < strips.size(); ++i) {
            if (breaks.contains(i)) page.begin_column();
            page.add(strips[i], note_lines[i]);
        }
        return std::move(page).layout();
    };
    Layout best = with_breaks({});
    constexpr double tall = 1000;  // a page of a document holds it
    if (columns == Columns::one || best.height < tall) return best;
    const Layout one = best;
    for (const std::size_t count : {2U, 3U})
        if (Layout more = with_breaks(breaks_of(one.heights, count)); off_slide(more) < off_slide(best))
            best = std::move(more);
    return best;
}

TextMark math_at(double x, double y, const std::string& text, Color color, bool is_bold, double size) {
    TextMark mark = text_at(x, y, with_powers(text), Anchor::start, color, is_bold, size);
    mark.pieces = math_pieces(mark.text);
    return mark;
}

TextMark text_at(double x, double y, const std::string& text, Anchor anchor, Color color, bool is_bold,
                 double size) {
    TextMark mark{x, y, text, anchor, is_bold, false, color};
    mark.size = size;
    mark.max_width = width_units(text, is_bold) * size + word_gap;
    return mark;
}

}  // namespace glassbox::tracer::drawing
