#include "report/drawing/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "cli/text_width.h"
#include "figures/panel_box.h"
#include "report/drawing/cells.h"
#include "report/drawing/timeline.h"

namespace glassbox::tracer::drawing {
namespace {

constexpr int max_decimals = 4, few_decimals = 2;
constexpr index_t narrow_columns = 8;  // of more, numbers have two decimals

// Four decimals, or two where a matrix is wide.
int decimals_of(const Source& source, int precision) {
    index_t widest = 0;
    for (const Report::Step& step : source.report().steps)
        if (step.value.rank() > 0) widest = std::max(widest, step.value.size(-1));
    return std::min(precision, widest > narrow_columns ? few_decimals : max_decimals);
}

// With two decimals also where more matrices stand side by side then.
std::vector<Strip> best_strips(const Source& source, int precision) {
    const int decimals = decimals_of(source, precision);
    std::vector<Strip> strips = strips_of(source, decimals);
    if (decimals <= few_decimals) return strips;
    std::vector<Strip> narrower = strips_of(source, few_decimals);
    return narrower.size() < strips.size() ? narrower : strips;
}

// "Scaled dot-product attention" and where the numbers come from.
struct Heading {
    std::string title, origin;
};
Heading heading_of(const Report& report) {
    constexpr std::string_view between = " · ";
    const std::size_t at = report.title.find(between);
    if (at == report.title.npos) return {report.title, ""};
    return {report.title.substr(0, at), report.title.substr(at + between.size())};
}

std::string description_of(const Report& report) {
    std::string text = report.title + ".";
    for (const std::string& line : report.header) text += " " + line + ".";
    for (const Report::Step& step : report.steps) {
        text += fmt::format(" {}{}{}, {}.", step.path, step.formula.empty() ? "" : " = ", step.formula,
                            step.value.shape());
        if (!step.sentence.empty()) text += " " + step.sentence;
    }
    for (const Report::Explained& each : report.explained)
        if (!each.arithmetic.empty()) text += " " + each.arithmetic + ".";
    std::replace(text.begin(), text.end(), '\n', ';');
    return text;
}

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

// Arithmetic in lines of this width. What is longer than three of them is cut before its result.
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

class Drawer {
  public:
    Drawer(const Report& report, int precision)
        : report_(report), source_(report), strips_(best_strips(source_, precision)) {
        std::set<std::size_t> nodes;
        for (const Strip& strip : strips_)
            for (const Panel& panel : strip.panels) {
                nodes.insert(panel.grid.node);
                for (const Grid& each : panel.above) nodes.insert(each.node);
            }
        source_.share_scales(nodes);
    }

    MovingScene drawing() && {
        const double top = add_head();
        const bool stands = !report_.plays && !explains();
        layout_ =
            laid_out(source_, strips_, note_lines(top), top, stands ? Columns::as_on_slide : Columns::one);
        if (explains()) timeline_ = explained_timeline(source_, layout_);
        else if (report_.plays) timeline_ = timeline_of(source_, layout_);
        scene_.width = std::max(scene_.width, layout_.width);
        add_still(layout_.texts);
        for (const PlacedGrid& grid : layout_.grids) add_grid(grid);
        for (std::size_t i = 0; i < layout_.expected.size(); ++i) add_expected(i);
        if (explains()) add_target();
        add_notes();
        if (report_.plays) add_lights();
        add_foot();
        if (report_.plays) {
            for (const Beat& beat : timeline_.beats) scene_.beats.push_back(beat.seconds);
            set_view();
            add_progress();
        } else
            for (MovingScene::Part& part : scene_.parts) part.from = 0;
        scene_.title = report_.title;
        scene_.description = description_of(report_);
        return std::move(scene_);
    }

  private:
    bool explains() const { return !source_.explained().empty(); }
    void add_still(std::vector<Mark> marks) { scene_.parts.push_back({std::move(marks)}); }

    double add_head() {
        std::vector<Mark> marks;
        double y = page_margin + 14;
        const auto add = [&](const std::string& text, double size, bool is_bold, Color color) {
            marks.push_back(math_at(page_margin, y, printable(text), color, is_bold, size));
            scene_.width = std::max(scene_.width, 2 * page_margin + width_units(text, is_bold) * size);
        };
        add(heading_of(report_).title, 1.4, true, ink);
        if (!report_.untrained.empty()) y += 19, add(report_.untrained, 1, false, ink);
        for (const std::string& line : report_.header) {
            y += 19;
            add(shortened(line, 140), 1, false, quiet_ink);
        }
        add_still(std::move(marks));
        return y + 22;
    }

    // Below each strip: the arithmetic of its explained numbers.
    std::vector<int> note_lines(double top) const {
        std::vector<int> lines(strips_.size());
        if (!explains()) return lines;
        const Layout trial = laid_out(source_, strips_, lines, top);
        const double width = std::max(scene_.width, trial.width) - 2 * page_margin;
        for (const Beat& beat : explained_timeline(source_, trial).beats)
            lines[beat.strip] += static_cast<int>(lines_of(beat.note, width).size());
        return lines;
    }

    void add_grid(const PlacedGrid& placed) {
        const Grid& grid = *placed.grid;
        std::map<int, std::vector<Mark>> by_beat;
        std::vector<Mark> empty;
        for (index_t i = 0; i < grid.rows; ++i)
            for (index_t j = 0; j < grid.columns; ++j) {
                const double x = placed.x + static_cast<double>(j) * placed.look.width,
                             y = placed.y + static_cast<double>(i) * placed.look.height;
                const Place& place = grid.at(i, j);
                const int beat = report_.plays ? timeline_.beat_of(source_, place) : 0;
                if (beat > 0) draw_empty_cell(empty, placed.look, x, y);
                draw_cell(by_beat[beat], source_, place, placed.look, x, y,
                          source_.is_explained(place) ? Emphasis::full : Emphasis::pale);
                if (placed.is_result && differs(place))
                    draw_mark(by_beat[beat], x, y, placed.look.width - 1, placed.look.height - 1,
                              wrong_color);
            }
        add_still(std::move(empty));
        for (auto& [beat, marks] : by_beat) scene_.parts.push_back({std::move(marks), beat});
    }

    // Whether a mistake changes it, as on the page.
    bool differs(const Place& place) const {
        const Numbers& numbers = source_.numbers(place.node);
        if (!numbers.step || !numbers.step->right.defined()) return false;
        const double right = expected(numbers, place.element), value = source_.value(place);
        return !(std::abs(right - value) <= report_.tolerance * std::max(1.0, std::abs(right)));
    }
    static real expected(const Numbers& numbers, index_t element) {
        return numbers.step->right.values()[static_cast<std::size_t>(element)];
    }

    void add_expected(std::size_t number) {
        const PlacedExpected& placed = layout_.expected[number];
        const Grid& grid = placed.panel->grid;
        const Numbers& numbers = source_.numbers(grid.node);
        std::vector<Mark> marks;
        const auto add_title = [&](const char* text, double y) {
            marks.push_back(text_at(placed.x, y - 5, text, Anchor::start, quiet_ink));
        };
        add_title("expected", placed.y);
        add_title("off by", placed.difference);
        for (index_t i = 0; i < grid.rows; ++i)
            for (index_t j = 0; j < grid.columns; ++j) {
                const Place& place = grid.at(i, j);
                const double x = placed.x + static_cast<double>(j) * placed.look.width,
                             down = static_cast<double>(i) * placed.look.height;
                const real right = expected(numbers, place.element);
                const real off = differs(place) ? source_.value(place) - right : 0;
                draw_expected_cell(marks, numbers, right, placed.look, x, placed.y + down);
                draw_difference(marks, numbers, off, placed.look, x, placed.difference + down);
            }
        scene_.parts.push_back({std::move(marks), report_.plays ? timeline_.expected[number] : 0});
    }

    void ring(std::vector<Mark>& marks, const Light& light, Color color) const {
        const PlacedGrid& placed = layout_.grids[light.grid];
        draw_ring(marks, placed.x + static_cast<double>(light.column) * placed.look.width,
                  placed.y + static_cast<double>(light.row) * placed.look.height,
                  static_cast<double>(light.columns) * placed.look.width - 1,
                  static_cast<double>(light.rows) * placed.look.height - 1, color);
    }

    void add_target() {
        std::vector<Mark> marks;
        for (const Light& light : timeline_.beats.back().filled) ring(marks, light, light_color);
        scene_.parts.push_back({std::move(marks), static_cast<int>(timeline_.beats.size()) - 1});
    }

    void add_lights() {
        for (std::size_t i = 0; i < timeline_.beats.size(); ++i) {
            const Beat& beat = timeline_.beats[i];
            std::vector<Mark> marks;
            for (const auto* lights : {&beat.operands, &beat.filled})
                for (const Light& light : *lights) ring(marks, light, light_color);
            if (!marks.empty())
                scene_.parts.push_back({std::move(marks), static_cast<int>(i), static_cast<int>(i) + 1});
        }
    }

    void add_notes() {
        if (!explains()) return;
        std::vector<int> written(strips_.size(), 0);
        for (std::size_t i = 0; i < timeline_.beats.size(); ++i) {
            const Beat& beat = timeline_.beats[i];
            std::vector<Mark> marks;
            for (const std::string& line : lines_of(beat.note, scene_.width - 2 * page_margin))
                marks.push_back(math_at(
                    page_margin, layout_.notes[beat.strip] + written[beat.strip]++ * note_height, line));
            if (marks.empty()) continue;
            notes_end_[i] = layout_.notes[beat.strip] + written[beat.strip] * note_height;
            scene_.parts.push_back({std::move(marks), static_cast<int>(i)});
        }
    }

    // Of a picture taller than a screen what is seen at each beat: its strip in the middle.
    void set_view() {
        constexpr double most = 700;
        if (scene_.height + progress_height() <= most) {
            scene_.height += progress_height();
            return;
        }
        const double seen = most - progress_height();
        scene_.view.height = most;
        for (std::size_t i = 0; i < timeline_.beats.size(); ++i) {
            const std::size_t strip = timeline_.beats[i].strip;
            const double middle = (layout_.tops[strip] + layout_.notes[strip]) / 2;
            double top = i == 0 ? 0 : middle - seen / 2;
            if (notes_end_.contains(i)) top = std::max(top, notes_end_.at(i) - seen);
            scene_.view.tops.push_back(std::clamp(top, 0.0, scene_.height - seen));
        }
    }

    static constexpr double note_size = 1.25, line_of_note = 20;
    std::vector<std::string> moving_lines(const Beat& beat) const {
        return explains() ? std::vector<std::string>()
                          : lines_of(beat.note, (scene_.width - 2 * page_margin) / note_size);
    }
    double progress_height() const {
        std::size_t most = 1;
        for (const Beat& beat : timeline_.beats) most = std::max(most, moving_lines(beat).size());
        return explains() ? 26 : 32 + line_of_note * static_cast<double>(most);
    }

    // At the foot of the view, over whatever lies there: a bar, how many steps have begun, the arithmetic.
    void add_progress() {
        const double top = scene_.seen_height() - progress_height(), width = scene_.width - 2 * page_margin;
        const auto count = timeline_.beats.size();
        for (std::size_t i = 0; i < count; ++i) {
            const Beat& beat = timeline_.beats[i];
            const double done = width * static_cast<double>(i + 1) / static_cast<double>(count);
            std::vector<Mark> marks{RectMark{0, top, scene_.width, progress_height(), paper},
                                    RectMark{page_margin, top + 2, width, 3, grid_color},
                                    RectMark{page_margin, top + 2, done, 3, pale_ink}};
            const std::string steps = fmt::format("{} of {}", beat.step, timeline_.steps);
            marks.push_back(text_at(scene_.width - page_margin, top + 19, steps, Anchor::end, quiet_ink));
            double y = top + 20;
            for (const std::string& line : moving_lines(beat))
                marks.push_back(math_at(page_margin, y += line_of_note, line, ink, false, note_size));
            scene_.parts.push_back({std::move(marks), static_cast<int>(i), static_cast<int>(i) + 1, true});
        }
    }

    void add_foot() {
        std::vector<Mark> marks;
        double y = layout_.height + 20;
        y += draw_legend(marks, source_, strips_, page_margin, y, scene_.width - 2 * page_margin) + 4;
        if (const std::string line = heading_of(report_).origin; !line.empty()) {
            y += 17;
            marks.push_back(text_at(page_margin, y, printable(line), Anchor::start, quiet_ink));
        }
        for (const Mark& mark : marks)
            if (const TextMark* text = std::get_if<TextMark>(&mark))
                scene_.width = std::max(scene_.width, text->x + width_units(text->text) + page_margin);
        scene_.height = y + page_margin - 4;
        add_still(std::move(marks));
    }

    const Report& report_;
    Source source_;
    std::vector<Strip> strips_;
    Layout layout_;
    Timeline timeline_;
    std::map<std::size_t, double> notes_end_;  // y below the arithmetic of a beat
    MovingScene scene_;
};

}  // namespace

MovingScene drawing_of(const Report& report, int precision) { return Drawer(report, precision).drawing(); }

}  // namespace glassbox::tracer::drawing
