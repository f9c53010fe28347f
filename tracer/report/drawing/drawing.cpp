#include "report/drawing/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "cli/text_width.h"
#include "figures/panel_box.h"
#include "report/drawing/cells.h"
#include "report/drawing/movie_foot.h"
#include "report/drawing/overview.h"
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

double strip_width(const Source& source) {
    constexpr double on_paper = 1160, on_slide = 900;
    return source.report().plays ? on_slide : on_paper;
}

// With two decimals also where more matrices stand side by side then. Of a movie narrower ones, which fill a
// slide one at a time.
std::vector<Strip> best_strips(const Source& source, int precision) {
    const double width = strip_width(source);
    const int decimals = decimals_of(source, precision);
    std::vector<Strip> strips = strips_of(source, decimals, width);
    if (decimals <= few_decimals) return strips;
    std::vector<Strip> narrower = strips_of(source, few_decimals, width);
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

class Drawer {
  public:
    Drawer(const Report& report, int precision)
        : report_(report),
          source_(report),
          is_overview_(has_parts(report) && report.explained.empty() &&
                       !are_readable(source_, strip_width(source_))) {
        if (is_overview_) overview_ = overview_of(source_, head_height(), report_.plays ? 170 : 62);
        strips_ = is_overview_ ? std::move(overview_.strips) : best_strips(source_, precision);
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
        layout_ = is_overview_ ? std::move(overview_.layout)
                               : laid_out(source_, strips_, note_lines(top), top,
                                          explains() ? Columns::one : Columns::as_on_slide);
        if (explains()) timeline_ = explained_timeline(source_, layout_);
        else if (report_.plays) timeline_ = timeline_of(source_, layout_);
        scene_.width = std::max(scene_.width, layout_.width);
        add_answer();
        add_still(layout_.texts);
        if (!overview_.answers.empty())
            scene_.parts.push_back(
                {std::move(overview_.answers), std::max(0, static_cast<int>(timeline_.beats.size()) - 1)});
        for (const PlacedGrid& grid : layout_.grids) add_grid(grid);
        if (!is_overview_ && !explains()) add_choices();
        for (std::size_t i = 0; i < layout_.expected.size(); ++i) add_expected(i);
        if (explains()) add_target();
        add_notes();
        if (report_.plays) add_lights();
        add_foot();
        if (report_.plays) {
            for (const Beat& beat : timeline_.beats) scene_.beats.push_back(beat.seconds);
            set_view();
            foot().draw();
        } else
            for (MovingScene::Part& part : scene_.parts) part.from = 0;
        scene_.title = report_.title;
        scene_.description = description_of(report_);
        return std::move(scene_);
    }

  private:
    bool explains() const { return !source_.explained().empty(); }
    void add_still(std::vector<Mark> marks) { scene_.parts.push_back({std::move(marks)}); }

    // The lines below the title: of an overview in two columns, which leave it more of the slide.
    std::size_t lead_lines() const {
        return (report_.answer.empty() ? 0U : 1U) + (report_.untrained.empty() ? 0U : 1U);
    }
    std::size_t all_head_lines() const { return report_.header.size() + lead_lines(); }
    std::size_t head_lines() const {
        const std::size_t all = all_head_lines(), lead = lead_lines();
        if (!is_overview_) return all;
        std::size_t left = std::max(all / 2, lead);  // what is indented goes on from the line before
        while (left > lead && left < all && report_.header[left - lead].starts_with(" ")) ++left;
        return left;
    }
    double head_height() const {
        const std::size_t lines = std::max(head_lines(), all_head_lines() - head_lines());
        return page_margin + 14 + 19 * static_cast<double>(lines) + (is_overview_ ? 14 : 22);
    }
    double add_head() {
        constexpr double half = 600;
        std::vector<Mark> marks;
        std::size_t line = 0;
        const auto add = [&](const std::string& text, double size, bool is_bold, Color color) {
            const bool is_right = line > head_lines();
            const double x = page_margin + (is_right ? half : 0),
                         y = page_margin + 14 +
                             19 * static_cast<double>(is_right ? line - head_lines() : line);
            marks.push_back(math_at(x, y, printable(text), color, is_bold, size));
            scene_.width = std::max(scene_.width, x + page_margin + width_units(text, is_bold) * size);
            ++line;
        };
        add(heading_of(report_).title, 1.4, true, ink);
        if (!report_.answer.empty()) ++line;  // which is added later
        if (!report_.untrained.empty()) add(report_.untrained, 1, false, ink);
        for (const std::string& each : report_.header) add(shortened(each, 140), 1, false, quiet_ink);
        add_still(std::move(marks));
        return head_height();
    }
    // What a model answered; of a movie its end.
    void add_answer() {
        constexpr std::string_view sign = "→";
        const std::string& answer = report_.answer;
        if (answer.empty()) return;
        scene_.width = std::max(scene_.width, 2 * page_margin + width_units(answer, true));
        const auto add = [&](const std::string& text, int from, int until) {
            scene_.parts.push_back(
                {{text_at(page_margin, page_margin + 33, printable(text), Anchor::start, ink, true)},
                 from,
                 until});
        };
        const std::size_t at = answer.find(sign);
        const int last = report_.plays ? static_cast<int>(timeline_.beats.size()) - 1 : 0;
        if (last > 0 && at != answer.npos) add(answer.substr(0, at + sign.size()) + "  ?", 0, last);
        add(answer, at == answer.npos ? 0 : last, MovingScene::for_ever);
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
                if (beat > 0 && placed.look.has_numbers) draw_empty_cell(empty, placed.look, x, y);
                draw_cell(by_beat[beat], source_, place, placed.look, x, y,
                          source_.is_explained(place) ? Emphasis::full : Emphasis::pale);
                if (placed.is_result && differs(place))
                    draw_mark(by_beat[beat], x, y, placed.look.width - 1, placed.look.height - 1,
                              wrong_color);
            }
        if (!placed.look.has_numbers && !by_beat.empty() && by_beat.begin()->first > 0)
            draw_empty_cell(empty, {.width = placed.width(), .height = placed.height()}, placed.x, placed.y);
        if (!empty.empty()) add_still(std::move(empty));
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

    // What chose: the row of a table that an id names, the number that a token was written for.
    void add_choices() {
        std::map<int, std::vector<Mark>> by_beat;
        const auto marks_of = [&](const Place& place) -> std::vector<Mark>& {
            return by_beat[report_.plays ? timeline_.beat_of(source_, place) : 0];
        };
        for (const PlacedResult& result : layout_.results) {
            const Grid& grid = result.panel->grid;
            for (index_t i = 0; i < grid.rows && !grid.places.empty(); ++i)
                if (const std::optional<Place> row = source_.looked_up(grid.at(i, 0)))
                    for (const std::size_t above : result.above)
                        mark_row(marks_of(grid.at(i, 0)), layout_.grids[above], *row);
        }
        std::set<Place> told;
        for (const PlacedGrid& placed : layout_.grids)
            for (const Place& place : placed.grid->places)
                if (const std::optional<Place> winner = source_.chosen_by(place);
                    winner && told.insert(*winner).second)
                    mark_winner(marks_of(place), *winner);
        for (auto& [beat, marks] : by_beat)
            if (!marks.empty()) scene_.parts.push_back({std::move(marks), beat});
    }
    void mark_row(std::vector<Mark>& marks, const PlacedGrid& table, const Place& first) const {
        const Grid& grid = *table.grid;
        const auto found = std::find(grid.places.begin(), grid.places.end(), first);
        if (found == grid.places.end()) return;
        const double y =
            table.y + static_cast<double>((found - grid.places.begin()) / grid.columns) * table.look.height;
        draw_ring(marks, table.x, y, table.width() - 1, table.look.height - 1, light_color);
        marks.push_back(text_at(table.x - 7, y + table.look.height / 2 + baseline_offset,
                                std::to_string((found - grid.places.begin()) / grid.columns), Anchor::end,
                                light_color, true));
    }
    // Where it is a result; its column, which is the token, stands above it.
    void mark_winner(std::vector<Mark>& marks, const Place& winner) const {
        for (const PlacedGrid& placed : layout_.grids) {
            const auto found = std::find(placed.grid->places.begin(), placed.grid->places.end(), winner);
            if (!placed.is_result || found == placed.grid->places.end()) continue;
            const index_t at = found - placed.grid->places.begin(), column = at % placed.grid->columns;
            const double x = placed.x + static_cast<double>(column) * placed.look.width,
                         y = placed.y + static_cast<double>(at / placed.grid->columns) * placed.look.height;
            draw_ring(marks, x, y, placed.look.width - 1, placed.look.height - 1, light_color);
            marks.push_back(text_at(x + placed.look.width / 2, placed.y - 5, std::to_string(column),
                                    Anchor::middle, light_color, true));
        }
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
            add_on_the_way(marks, beat);
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

    // What stands in cells that are to be filled.
    void add_on_the_way(std::vector<Mark>& marks, const Beat& beat) const {
        if (beat.on_the_way.empty()) return;
        const Light& row = beat.filled[0];
        const PlacedGrid& placed = layout_.grids[row.grid];
        for (index_t j = 0; j < row.columns; ++j)
            draw_passing(marks, beat.on_the_way[static_cast<std::size_t>(j)], placed.look,
                         placed.x + static_cast<double>(j) * placed.look.width,
                         placed.y + static_cast<double>(row.row) * placed.look.height);
    }

    // Of a picture larger than a slide what is seen at each beat: its strip in the middle.
    void set_view() {
        if (is_overview_) {
            scene_.height += foot().height();
            return;
        }
        constexpr double screen = 700, least = 450, slide = 9. / 16, gap = 10;
        double width = 0, tallest = 0;
        for (std::size_t i = 0; i < layout_.tops.size(); ++i) {
            width = std::max(width, layout_.widths[i] + page_margin);
            tallest = std::max(tallest, layout_.notes[i] - layout_.tops[i]);
        }
        for (const auto& [beat, end] : notes_end_)
            tallest = std::max(tallest, end - layout_.tops[timeline_.beats[beat].strip]);
        scene_.view.width = std::min(width, scene_.width);
        const auto height_over = [&](double below) {
            return std::max({least, slide * scene_.view.width, std::min(tallest, 560.) + below + gap});
        };
        if (const double below = foot().height();
            scene_.height + below <= std::max(height_over(below), screen) && width >= scene_.width) {
            scene_.view = {};
            scene_.height += below;
            return;
        }
        scene_.view.height = least;  // the foot of a view has less room
        const double below = foot().height(), seen = height_over(below) - below;
        scene_.view.height = seen + below;
        for (std::size_t i = 0; i < timeline_.beats.size(); ++i) {
            const std::size_t strip = timeline_.beats[i].strip;
            const double middle = (layout_.tops[strip] + layout_.notes[strip]) / 2;
            double top = i == 0 ? 0 : std::min(middle - seen / 2, layout_.tops[strip] - gap);
            if (notes_end_.contains(i)) top = std::max(top, notes_end_.at(i) - seen);
            scene_.view.corners.push_back(
                {std::clamp(i == 0 ? 0 : layout_.lefts[strip], 0.0, scene_.width - scene_.view.width),
                 std::clamp(top, 0.0, std::max(0.0, scene_.height - seen))});
        }
        cover_cut_strips(seen);
    }
    // A strip that the edge of the view would cut is not seen; the ones about this that are whole are.
    void cover_cut_strips(double seen) {
        constexpr double edge = 6;
        const std::vector<Chart::Point>& corners = scene_.view.corners;
        const std::size_t strips = layout_.tops.size();
        for (std::size_t begin = 0, end; begin < corners.size(); begin = end) {
            const Chart::Point& at = corners[begin];
            const std::size_t strip = timeline_.beats[begin].strip;
            for (end = begin + 1; end < corners.size() && timeline_.beats[end].strip == strip &&
                                  corners[end].x == at.x && corners[end].y == at.y;)
                ++end;
            const double left = layout_.lefts[strip];
            const auto goes_on = [&](std::size_t from, std::size_t to) {
                return layout_.lefts[from] == layout_.lefts[to];
            };
            std::size_t first = strip, last = strip;
            while (first > 0 && goes_on(first - 1, first) && layout_.tops[first - 1] >= at.y) --first;
            while (last + 1 < strips && goes_on(last + 1, last) && layout_.notes[last + 1] <= at.y + seen)
                ++last;
            const bool has_head = at.y <= 0 && layout_.tops[first] == layout_.tops[0];
            const double top =
                has_head ? 0 : layout_.tops[first] - at.y - 3 * edge;  // a winner stands above it
            double bottom = layout_.height + edge - at.y;
            if (begin == 0 && layout_.notes[strip] > at.y + seen)
                bottom = layout_.tops[strip] - edge;  // a title
            else if (last + 1 < strips && goes_on(last + 1, last))
                bottom = layout_.tops[last + 1] - at.y - edge;
            else if (scene_.height - at.y <= seen) bottom = seen;
            double right = scene_.view.width;
            for (const double other : layout_.lefts)
                if (other > left) right = std::min(right, other - at.x - edge);
            std::vector<Mark> marks;
            const double width = scene_.view.width, under = has_head ? layout_.tops[0] - edge : 0;
            if (top > 0) marks.push_back(RectMark{0, 0, width, top, paper});
            if (bottom < seen) marks.push_back(RectMark{0, bottom, width, seen - bottom, paper});
            if (left - at.x > edge) marks.push_back(RectMark{0, under, left - at.x, seen - under, paper});
            if (right < width) marks.push_back(RectMark{right, under, width - right, seen - under, paper});
            if (!marks.empty())
                scene_.parts.push_back(
                    {std::move(marks), static_cast<int>(begin), static_cast<int>(end), true});
        }
    }

    MovieFoot foot() { return {source_, strips_, layout_, timeline_, scene_}; }

    void add_foot() {
        std::vector<Mark> marks;
        double y = layout_.height + 20;
        y += draw_legend(marks, source_, strips_, page_margin, y, scene_.width - 2 * page_margin) + 4;
        const auto add_line = [&](const std::string& line) {
            y += 17;
            marks.push_back(text_at(page_margin, y, printable(line), Anchor::start, quiet_ink));
        };
        if (is_overview_) add_line("with its numbers a part: " + scope_that_fits(report_));
        if (const std::string line = heading_of(report_).origin; !line.empty()) add_line(line);
        for (const Mark& mark : marks)
            if (const TextMark* text = std::get_if<TextMark>(&mark))
                scene_.width = std::max(scene_.width, text->x + width_units(text->text) + page_margin);
        scene_.height = y + page_margin - 4;
        add_still(std::move(marks));
    }

    const Report& report_;
    Source source_;
    bool is_overview_;  // maps of a whole model, of which the numbers would not be readable
    Overview overview_;
    std::vector<Strip> strips_;
    Layout layout_;
    Timeline timeline_;
    std::map<std::size_t, double> notes_end_;  // y below the arithmetic of a beat
    MovingScene scene_;
};

}  // namespace

MovingScene drawing_of(const Report& report, int precision) { return Drawer(report, precision).drawing(); }

}  // namespace glassbox::tracer::drawing
