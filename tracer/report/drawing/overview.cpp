#include "report/drawing/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <set>

#include "figures/panel_box.h"
#include "report/drawing/overview_arrows.h"

namespace glassbox::tracer::drawing {
namespace {

constexpr double slide_width = 1280, slide_height = 720;
constexpr double map_gap = 5, shown_height = 12;
constexpr index_t max_shown = 64;  // rows and columns of a map
constexpr std::size_t max_heads = 4;
constexpr std::size_t one_column = 5;  // items of a part that has no columns
constexpr Color box_color{250, 250, 248};

// "encoder/0" of "encoder/0/self_attn/Q", "source" of "source/tokens"; empty of "logits".
std::string part_of(const std::string& path) {
    const std::size_t first = path.find('/');
    if (first == path.npos) return "";
    const std::size_t second = path.find('/', first + 1);
    const std::string next = path.substr(first + 1, second == path.npos ? second : second - first - 1);
    const bool is_number = std::all_of(next.begin(), next.end(),
                                       [](char c) { return std::isdigit(static_cast<unsigned char>(c)); });
    return path.substr(0, is_number ? second : first);
}

// The first rows and columns of what is too large to be seen.
Grid first_of(Grid grid) {
    const index_t rows = std::min(grid.rows, max_shown), columns = std::min(grid.columns, max_shown);
    std::vector<Place> places;
    for (index_t i = 0; i < rows; ++i)
        for (index_t j = 0; j < columns; ++j) places.push_back(grid.at(i, j));
    grid.rows = rows, grid.columns = columns, grid.places = std::move(places);
    return grid;
}

class Slide {
  public:
    explicit Slide(const Source& source) : source_(source), steps_(source.report().steps), flow_(source) {
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            const std::string name = part_of(steps_[i].path);
            if (parts_.empty() || parts_.back().name != name) parts_.push_back({name, {}});
            parts_.back().steps.push_back(i);
            part_of_.push_back(parts_.size() - 1);
        }
        for (Part& part : parts_) add_columns(part);
        for (std::size_t p = 0; p < parts_.size(); ++p) choose_lane(p);
        std::set<std::size_t> shown;
        for (const Part& part : parts_)
            for (const Column& column : part.whole_columns)
                for (const Item& item : column.items) shown.insert(item.step);
        flow_.show(std::move(shown));
    }

    // As large as the slide holds it, its numbers lower than wide if need be.
    Overview overview(double top, double foot) && {
        bool fits = false;
        for (const double size : {200., 180., 160., 140., 120., 104., 92., 80., 70., 60., 50.})
            for (const double height : {0.6, 0.45, 0.35})
                for (const std::size_t most : {SIZE_MAX, std::size_t{3}, std::size_t{2}}) {
                    if (fits) continue;
                    break_columns(most);
                    place(size, height * size, top);
                    fits = width_ <= slide_width && height_ <= slide_height - foot;
                }
        if (!fits) {  // a slide shows it smaller
            constexpr double size = 50;
            break_columns(SIZE_MAX);
            place(size, 0.6 * size, top);
        }
        draw();
        return std::move(made_);
    }

  private:
    // ---- what is shown -----------------------------------------------------------------------------------

    void add_columns(Part& part) {
        const std::string prefix = part.name.empty() ? "" : part.name + "/";
        std::string last;
        for (const std::size_t step : part.steps) {
            const std::string rest = steps_[step].path.substr(prefix.size());
            const std::size_t slash = rest.find('/');
            const std::string scope = slash == rest.npos ? "" : rest.substr(0, slash);
            if (part.whole_columns.empty() || (!scope.empty() && scope != last))
                part.whole_columns.push_back({scope, {}});
            if (!scope.empty()) last = scope;
            if (!scope.empty() && !is_shown_of_scope(step, prefix + scope + "/")) continue;
            part.whole_columns.back().items.push_back(item_of(step, scope.empty() ? rest : last_part(rest)));
        }
        std::erase_if(part.whole_columns, [](const Column& column) { return column.items.empty(); });
        std::size_t items = 0;
        for (const Column& column : part.whole_columns) items += column.items.size();
        if (items > one_column) return;
        for (std::size_t i = 1; i < part.whole_columns.size(); ++i)
            for (Item& item : part.whole_columns[i].items) {
                item.label = part.whole_columns[i].heading + "/" + item.label;
                part.whole_columns[0].items.push_back(std::move(item));
            }
        part.whole_columns.resize(std::min<std::size_t>(part.whole_columns.size(), 1));
    }
    // Of a part within a part: its weights, and what it ends with.
    bool is_shown_of_scope(std::size_t step, const std::string& scope) const {
        const bool is_last = step + 1 == steps_.size() || !steps_[step + 1].path.starts_with(scope);
        return is_last || steps_[step].kind == Report::Kind::weight;
    }
    Item item_of(std::size_t step, const std::string& label) const {
        Item item{step, label, {}};
        const std::size_t node = source_.node_of(steps_[step]);
        const auto leading = leading_places(steps_[step].value.shape());
        Grid first;
        for (const std::vector<index_t>& place : leading) {
            if (item.grids.size() == max_heads) break;
            Grid grid = grid_of(source_, node, place);
            if (grid.places.empty()) continue;
            first = grid;
            item.grids.push_back(first_of(std::move(grid)));
        }
        item.picks = picks_of(steps_[step]);
        if (!item.picks.empty() && first.columns > max_shown) {  // a map of a few of so many shows nothing
            item.grids.clear();
            return item;
        }
        std::vector<std::string> parts;
        if (leading.size() > max_heads)
            parts.push_back(fmt::format("{} of {} heads", max_heads, leading.size()));
        if (first.rows > max_shown) parts.push_back(fmt::format("rows: {} of {}", max_shown, first.rows));
        if (first.columns > max_shown)
            parts.push_back(fmt::format("first {} of {}", max_shown, first.columns));
        item.shown = fmt::format("{}", fmt::join(parts, ", "));
        return item;
    }

    // Of a trained model's probabilities the word that is likeliest in each row: "→ Your (0.9999)".
    std::vector<std::string> picks_of(const Report::Step& step) const {
        constexpr index_t most_rows = 24;
        if (step.kind != Report::Kind::weight || step.axes.empty() || !source_.report().untrained.empty())
            return {};
        const std::vector<std::string>& words = step.axes.back().words;
        const std::string& of = step.axes.back().name;
        const index_t columns = step.value.size(-1), rows = step.value.numel() / columns;
        if ((of != "class" && of != "token") || static_cast<index_t>(words.size()) != columns ||
            rows > most_rows)
            return {};
        std::vector<std::string> picks;
        const std::vector<real> values = step.value.values();
        for (auto row = values.begin(); row != values.end(); row += columns) {
            const auto best = std::max_element(row, row + columns);
            picks.push_back(
                fmt::format("→ {} ({:.4f})", printable(words[static_cast<std::size_t>(best - row)]), *best));
        }
        return picks;
    }

    // A part goes on where the first of its steps that reads another part does, else begins a lane.
    void choose_lane(std::size_t p) {
        const auto is_end = [&](std::size_t part) { return ends_[parts_[part].lane] == part; };
        for (const std::size_t step : parts_[p].steps)
            for (const std::size_t read : flow_.reads(step))
                if (part_of_[read] != p && is_end(part_of_[read])) {
                    parts_[p].lane = parts_[part_of_[read]].lane;
                    ends_[parts_[p].lane] = p;
                    return;
                }
        parts_[p].lane = ends_.size();
        ends_.push_back(p);
    }

    // ---- where it is -------------------------------------------------------------------------------------

    // Columns of at most so many items.
    void break_columns(std::size_t most) {
        for (Part& part : parts_) {
            part.columns.clear();
            for (const Column& whole : part.whole_columns)
                for (std::size_t i = 0; i < whole.items.size(); ++i) {
                    const std::size_t pieces = (whole.items.size() - 1) / most + 1,
                                      each = (whole.items.size() + pieces - 1) / pieces;
                    if (i == 0) part.columns.push_back({whole.heading, {}});
                    else if (i % each == 0) part.columns.push_back({"", {}});
                    part.columns.back().items.push_back(whole.items[i]);
                }
        }
        arrows_.choose_buses();
    }

    void measure(Item& item, double size, double height) const {
        item.looks.clear();
        item.width = 0, item.height = 0;
        const auto count = static_cast<double>(item.grids.size());
        const bool is_word = steps_[item.step].kind == Report::Kind::word,
                   is_weight = steps_[item.step].kind == Report::Kind::weight;
        const double room = is_weight && count == 1 ? 1.25 * size : size;
        for (const Grid& grid : item.grids) {
            const auto rows = static_cast<double>(grid.rows), columns = static_cast<double>(grid.columns);
            const double each = (room - (count - 1) * map_gap) / count;
            const double most = size / 8;
            CellLook look{.width = std::min(each / columns, most),
                          .height = std::min(height / rows, most),
                          .decimals = 0,
                          .has_numbers = false};
            if (is_weight) look.width = look.height = std::min({each / columns, 1.25 * size / rows, most});
            if (is_word) look = {.width = std::min(size / columns, 46.), .height = 17, .decimals = 0};
            item.looks.push_back(look);
            item.width += look.width * columns + (item.looks.size() > 1 ? map_gap : 0);
            item.height = std::max(item.height, look.height * rows);
        }
        item.maps_width = item.width - (item.looks.size() > 1 ? map_gap : 0), item.maps_height = item.height;
        if (!item.picks.empty() && (item.grids.empty() || item.looks[0].height > 9)) {
            double widest = 0;
            for (const std::string& pick : item.picks) widest = std::max(widest, width_units(pick));
            item.width += widest + 6;
            if (item.grids.empty())
                item.maps_height = item.height = pick_height * static_cast<double>(item.picks.size());
        }
        item.width = std::max(item.width, 10 + 0.85 * width_units(item.label));
        item.width = std::max(item.width, 0.75 * width_units(item.shown));
        item.height += label_height + (item.shown.empty() ? 0 : shown_height);
    }
    void place(double size, double height, double top) {
        std::vector<double> right(ends_.size(), page_margin), lane_height(ends_.size());
        for (Part& part : parts_) {
            part.width = 2 * box_pad, part.height = 0;
            for (Column& column : part.columns) {
                column.width = 0.9 * width_units(column.heading), column.height = 0;
                for (Item& item : column.items) {
                    measure(item, size, height);
                    column.width = std::max(column.width, item.width);
                    column.height += item.height + (&item == &column.items[0] ? 0 : item_gap);
                }
                part.width += column.width + (&column == &part.columns[0] ? 0 : column_gap);
                part.height = std::max(part.height, column.height);
            }
            part.width = std::max(part.width, width_units(part.name, true) + 2 * box_pad);
            part.height += 2 * box_pad + heading_height + (has_headings(part) ? label_height : 0);
            std::size_t levels = 0;
            for (const Bus& bus : part.buses) levels = std::max(levels, bus.level + 1);
            part.height += bus_gap * static_cast<double>(levels);
            part.x = right[part.lane];
            right[part.lane] += part.width + box_gap;
            lane_height[part.lane] = std::max(lane_height[part.lane], part.height);
        }
        height_ = top;
        std::vector<double> lane_top;
        for (const double lane : lane_height) lane_top.push_back(height_), height_ += lane + lane_gap;
        height_ -= lane_gap;
        for (Part& part : parts_) part.y = lane_top[part.lane];
        for (Part& part : parts_) place_items(part);
        width_ = *std::max_element(right.begin(), right.end()) - box_gap + page_margin;
    }
    static void place_items(Part& part) {
        double x = part.x + box_pad;
        for (Column& column : part.columns) {
            double y = part.y + box_pad + heading_height + (has_headings(part) ? label_height : 0);
            for (Item& item : column.items) {
                item.x = x, item.y = y;
                y += item.height + item_gap;
            }
            x += column.width + column_gap;
        }
    }
    static bool has_headings(const Part& part) {
        return std::any_of(part.columns.begin(), part.columns.end(),
                           [](const Column& column) { return !column.heading.empty(); });
    }

    // ---- drawing -----------------------------------------------------------------------------------------

    void draw() {
        std::size_t panels = 0;
        for (const Part& part : parts_) {
            Strip strip{part.name, {}, {.width = 8, .height = 8, .decimals = 0, .has_numbers = false}};
            for (const Column& column : part.columns)
                for (const Item& item : column.items)
                    for (const Grid& grid : item.grids)
                        strip.panels.push_back({.grid = grid,
                                                .name = item.label,
                                                .step = &steps_[item.step],
                                                .is_result = true});
            panels += strip.panels.size();
            made_.strips.push_back(std::move(strip));
        }
        Layout& layout = made_.layout;
        layout.is_overview = true;
        layout.width = width_, layout.height = height_;
        for (std::size_t p = 0; p < parts_.size(); ++p) draw_box(p);
        link();
        for (Mark& mark : std::move(arrows_).draw()) layout.texts.push_back(std::move(mark));
    }
    void draw_box(std::size_t p) {
        const Part& part = parts_[p];
        Layout& layout = made_.layout;
        layout.texts.push_back(RectMark{part.x, part.y, part.width, part.height, box_color});
        const double right = part.x + part.width, bottom = part.y + part.height;
        layout.texts.push_back(
            PathMark{{{part.x, part.y}, {right, part.y}, {right, bottom}, {part.x, bottom}, {part.x, part.y}},
                     pale_ink});
        layout.texts.push_back(
            text_at(part.x + box_pad, part.y + box_pad + 10, part.name, Anchor::start, ink, true, 1.1));
        layout.lefts.push_back(0), layout.tops.push_back(part.y), layout.notes.push_back(bottom);
        layout.heights.push_back(part.height), layout.widths.push_back(width_);
        std::size_t panel = 0;
        for (const Column& column : part.columns) {
            const Item& first = column.items[0];
            if (has_headings(part))
                layout.texts.push_back(
                    text_at(first.x, first.y - 5, column.heading, Anchor::start, quiet_ink));
            for (const Item& item : column.items) {
                layout.texts.push_back(text_at(item.x + 12, item.y + 11, item.label, Anchor::start, ink));
                double left = item.x;
                for (std::size_t i = 0; i < item.grids.size(); ++i, ++panel) {
                    const Panel& own = made_.strips[p].panels[panel];
                    of_step_[item.step].push_back(layout.grids.size());
                    layout.results.push_back({&own, p, layout.grids.size()});
                    layout.grids.push_back({&own.grid, item.looks[i], left, item.y + label_height, p, true});
                    left += item.looks[i].width * static_cast<double>(own.grid.columns) + map_gap;
                }
                draw_picks(item);
                if (!item.shown.empty())
                    layout.texts.push_back(text_at(item.x, item.y + item.height - 2, item.shown,
                                                   Anchor::start, quiet_ink, false, 0.8));
            }
        }
    }
    void draw_picks(const Item& item) {
        const double height = item.grids.empty() ? pick_height : item.looks[0].height;
        if (height <= 9) return;
        for (std::size_t i = 0; i < item.picks.size(); ++i)
            made_.answers.push_back(
                text_at(item.x + item.maps_width + 4,
                        item.y + label_height + (static_cast<double>(i) + 0.5) * height + baseline_offset,
                        item.picks[i], Anchor::start, ink, false, std::min(1., height / pick_height)));
    }
    // From what each map was made of others.
    void link() {
        for (PlacedResult& result : made_.layout.results) {
            const auto step = static_cast<std::size_t>(result.panel->step - steps_.data());
            for (const std::size_t from : flow_.nearest(step))
                result.beside.insert(result.beside.end(), of_step_[from].begin(), of_step_[from].end());
        }
    }
    const Source& source_;
    const std::vector<Report::Step>& steps_;
    Flow flow_;
    std::vector<Part> parts_;
    std::vector<std::size_t> part_of_, ends_;  // of each step; the last part of each lane
    Arrows arrows_{flow_, parts_, part_of_};
    std::map<std::size_t, std::vector<std::size_t>> of_step_;  // the grids of a step
    double width_ = 0, height_ = 0;
    Overview made_;
};

}  // namespace

bool has_parts(const Report& report) {
    std::set<std::string> parts;
    for (const Report::Step& step : report.steps) parts.insert(part_of(step.path));
    return parts.size() > 1;
}

Overview overview_of(const Source& source, double top, double foot) {
    return Slide(source).overview(top, foot);
}

}  // namespace glassbox::tracer::drawing
