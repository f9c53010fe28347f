#include "report/drawing/strips.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include <glassbox/tensor/format.h>

#include "figures/panel_box.h"

namespace glassbox::tracer::drawing {
namespace {

constexpr index_t max_numbered = 16;  // rows or columns with a number in each cell
constexpr index_t max_both = 10;      // rows and columns
constexpr index_t max_colored = 128;  // rows and columns of cells that have only a colour
constexpr std::size_t max_numbers = 2500, max_cells = 20000;

// Cells of a colour alone, larger where there are few.
CellLook small_cells(index_t columns) {
    const double size = std::clamp(std::floor(224. / static_cast<double>(columns)), 8., 14.);
    return {.width = size, .height = size, .decimals = 0, .has_numbers = false};
}

// Weights, whose pattern is what matters: a map as wide as half a slide, with the numbers that are not small.
CellLook map_cells(const Grid& grid) {
    constexpr double side = 448, most = 28, written = 22;
    const double size =
        std::clamp(std::floor(side / static_cast<double>(std::max(grid.rows, grid.columns))), 8., most);
    CellLook look{.width = size, .height = size, .decimals = 2, .least = 0.05};
    if (size < written) look.has_numbers = false;
    return look;
}

std::string scope_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

bool is_huge(const Grid& grid) { return grid.rows > max_colored || grid.columns > max_colored; }

std::string heading_of(const Report::Step& step, const std::vector<index_t>& leading) {
    std::string heading = scope_of(step.path);
    if (!heading.empty()) heading.pop_back();
    for (std::size_t axis = 0; axis < leading.size(); ++axis) {
        if (step.value.size(static_cast<int>(axis)) == 1) continue;
        const std::string name = axis < step.axes.size() ? step.axes[axis].name : "";
        heading += fmt::format("{}{}{}", heading.empty() ? "" : " · ", name.empty() ? "" : name + " ",
                               leading[axis]);
    }
    return heading;
}

// What the rows and columns of scores and weights are: "rows: queries, columns: keys"; empty of other
// steps.
std::string axes_text(const Report::Step& step) {
    const std::size_t rank = step.axes.size();
    if (rank < 2 || step.axes[rank - 2].name != "query" || step.axes[rank - 1].name != "key") return "";
    const std::string name = last_part(step.path);
    if (name != "logits" && name != "attention") return "";
    return step.axes[rank - 2].answers.empty() ? "rows: queries, columns: keys"
                                               : "rows: place → what it writes there, columns: what it reads";
}

class Arranger {
  public:
    Arranger(const Source& source, int decimals, double width) : source_(source), max_width_(width) {
        look_.decimals = decimals;
        look_.width = decimals > 2 ? 58 : 42;
    }

    std::vector<Strip> strips() && {
        for (const auto& [step, grid] : results()) {
            if (!is_told(grid)) continue;
            MadeOf made = made_of(source_, grid);
            for (auto* operands : {&made.beside, &made.above})
                std::erase_if(*operands, [&](const Grid& each) { return is_huge(each) || !is_told(each); });
            for (const auto* operands : {&made.beside, &made.above})
                for (const Grid& each : *operands) used_.insert(each.node);
            made_.push_back({step, grid, std::move(made)});
        }
        for (const Result& result : made_) add(result);
        return std::move(strips_);
    }

  private:
    // Whether it has a number that is shown, or explained.
    bool is_told(const Grid& grid) const {
        return grid.places.empty() ||
               std::any_of(grid.places.begin(), grid.places.end(),
                           [&](const Place& place) { return source_.is_explained(place); });
    }

    struct Result {
        const Report::Step* step;
        Grid grid;
        MadeOf made;
    };

    // Steps that follow each other and have the same leading axes go through these together: all of head 0,
    // then all of head 1.
    std::vector<std::pair<const Report::Step*, Grid>> results() const {
        std::vector<std::pair<const Report::Step*, Grid>> all;
        const std::vector<Report::Step>& steps = source_.report().steps;
        for (std::size_t begin = 0, end; begin < steps.size(); begin = end) {
            const auto leading = leading_places(steps[begin].value.shape());
            for (end = begin + 1; end < steps.size() && leading_places(steps[end].value.shape()) == leading;)
                ++end;
            for (const std::vector<index_t>& place : leading)
                for (std::size_t i = begin; i < end; ++i)
                    all.emplace_back(&steps[i], checked(grid_of(source_, source_.node_of(steps[i]), place)));
        }
        return all;
    }

    Grid checked(Grid grid) const {
        if (is_huge(grid))
            fail<UsageError>(
                "picture: {} is {} × {}, and a picture shows at most {} rows and columns: choose smaller "
                "sizes, or other steps with --only",
                source_.numbers(grid.node).name, grid.rows, grid.columns, max_colored);
        return grid;
    }

    void add(const Result& result) {
        const bool is_made = !result.made.beside.empty() || !result.made.above.empty();
        if (is_map(result.grid)) return add_map(result);
        if (!is_made && is_used(result.grid)) return;  // drawn where it is used
        std::vector<Panel> more;
        const std::string scope = scope_of(result.step->path);
        Panel own{.grid = result.grid, .name = last_part(result.step->path)};
        own.formula = lines_of(result.step->formula, own.grid);
        if (const std::string axes = axes_text(*result.step); !axes.empty() && !is_large(own.grid))
            own.formula.push_back(axes);
        own.step = result.step, own.above = result.made.above, own.made = result.made, own.is_result = true;
        if (!is_large(own.grid)) own.parts = parts_of(own.grid);
        for (const Grid& each : own.above) own.above_names.push_back(name_of(each, scope));
        own.joint = result.made.is_product || result.made.beside.empty() ? "" : "→";
        const std::string heading = heading_of(*result.step, result.grid.leading);
        const std::size_t shared = is_made ? continued(result, heading) : result.made.beside.size();
        for (std::size_t i = 0; i < result.made.beside.size(); ++i) {
            if (i == shared) continue;
            more.push_back(operand_panel(result.made.beside[i], scope));
            const bool is_first = shared == result.made.beside.size() && i == 0;
            more.back().joint = is_first ? "" : result.made.sign.empty() ? "," : result.made.sign;
        }
        more.push_back(std::move(own));
        const bool is_new =
            strips_.empty() || (is_made ? shared == result.made.beside.size() : !fits_free(more, heading));
        if (is_new || !fits(more)) begin_strip(result, heading, more);
        link(more, result.made);
        for (Panel& each : more) strips_.back().panels.push_back(std::move(each));
    }

    // Drawn with colours alone, unless it is about one number.
    bool is_large(const Grid& grid) const {
        const index_t both = source_.explained().empty() ? max_both : max_numbered;
        return grid.rows > max_numbered || grid.columns > max_numbered ||
               (grid.rows > both && grid.columns > both);
    }

    bool is_map(const Grid& grid) const {
        return source_.explained().empty() && is_large(grid) && grid.rows > 1 && grid.columns > 1 &&
               source_.numbers(grid.node).kind == Report::Kind::weight;
    }

    // By itself, and large.
    void add_map(const Result& result) {
        Panel own{.grid = result.grid, .name = last_part(result.step->path)};
        const CellLook look = map_cells(own.grid);
        own.formula = {result.step->formula};
        if (const std::string axes = axes_text(*result.step); !axes.empty()) own.formula.push_back(axes);
        own.step = result.step, own.is_result = true;
        own.made.is_by_row = result.made.is_by_row;
        strips_.push_back({heading_of(*result.step, result.grid.leading), {std::move(own)}, look});
    }

    // The columns that later steps take from it.
    std::vector<ColumnsOf> parts_of(const Grid& grid) const {
        std::vector<ColumnsOf> parts;
        for (const Result& later : made_) {
            if (later.grid.places.empty() || later.grid.columns >= grid.columns) continue;
            const std::optional<Place> from = source_.moved_from(later.grid.places[0]);
            const auto found =
                from ? std::find(grid.places.begin(), grid.places.end(), *from) : grid.places.end();
            if (found == grid.places.end()) continue;
            const std::string head = shown_head(*later.step, later.grid.leading);
            parts.push_back({(found - grid.places.begin()) % grid.columns, later.grid.columns,
                             last_part(later.step->path) + head});
        }
        std::sort(parts.begin(), parts.end(),
                  [](const ColumnsOf& a, const ColumnsOf& b) { return a.first < b.first; });
        return parts;
    }
    // "[1]" of the head; the leading axes of one place have no number.
    static std::string shown_head(const Report::Step& step, const std::vector<index_t>& leading) {
        std::string place;
        for (std::size_t axis = 0; axis < leading.size(); ++axis)
            if (step.value.size(static_cast<int>(axis)) > 1)
                place += (place.empty() ? "" : ",") + std::to_string(leading[axis]);
        return place.empty() ? "" : "[" + place + "]";
    }

    // A step that names a parameter is that parameter.
    bool is_used(const Grid& grid) const {
        if (used_.contains(grid.node)) return true;
        const std::optional<Place> from =
            grid.places.empty() ? std::nullopt : source_.moved_from(grid.places[0]);
        return from && !source_.numbers(from->node).step && used_.contains(from->node);
    }

    // Which operand is what the last strip ends with; else their number.
    std::size_t continued(const Result& result, const std::string& heading) const {
        const std::vector<Grid>& beside = result.made.beside;
        if (strips_.empty() || strips_.back().panels.empty()) return beside.size();
        const Strip& strip = strips_.back();
        const bool is_same_look = !strip.look.is_map() && is_large(result.grid) == !strip.look.has_numbers;
        const bool same_head =
            result.grid.leading.empty() ? strip.panels.back().grid.leading.empty() : strip.heading == heading;
        if (!is_same_look || !same_head) return beside.size();
        const auto found = std::find(beside.begin(), beside.end(), strip.panels.back().grid);
        if (result.made.sign == "−" && found != beside.begin()) return beside.size();  // a − b is not b − a
        return static_cast<std::size_t>(found - beside.begin());
    }

    // Steps that are made from nothing stand side by side.
    bool fits_free(const std::vector<Panel>& more, const std::string& heading) const {
        const Strip& strip = strips_.back();
        const auto is_free = [](const Panel& panel) { return panel.made == MadeOf{}; };
        return strip.heading == heading && !strip.look.is_map() &&
               std::all_of(strip.panels.begin(), strip.panels.end(), is_free) &&
               is_large(more.back().grid) == !strip.look.has_numbers;
    }

    bool fits(const std::vector<Panel>& more) const {
        const Strip& strip = strips_.back();
        double width = 0;
        for (const auto* panels : {&strip.panels, &more})
            for (const Panel& panel : *panels) width += joint_width(panel) + width_of(panel, strip.look);
        return width <= max_width_;
    }

    void begin_strip(const Result& result, const std::string& heading, std::vector<Panel>& more) {
        // What the last strip ended with is drawn again.
        if (more.size() < result.made.beside.size() + 1) {
            std::vector<Panel> all;
            for (const Grid& each : result.made.beside) {
                all.push_back(operand_panel(each, scope_of(result.step->path)));
                all.back().joint = all.size() == 1 ? "" : result.made.sign.empty() ? "," : result.made.sign;
            }
            all.push_back(std::move(more.back()));
            more = std::move(all);
        } else {
            more.front().joint = "";
        }
        bool large = is_large(result.grid);
        for (const Panel& panel : more) {
            large = large || is_large(panel.grid);
            for (const Grid& each : panel.above) large = large || is_large(each);
        }
        index_t widest = 1;
        for (const Panel& panel : more) widest = std::max({widest, panel.grid.columns, panel.grid.rows});
        const CellLook look = large ? small_cells(widest) : look_;
        double width = 0;
        for (const Panel& panel : more) width += joint_width(panel) + width_of(panel, look);
        if (width > max_width_ && !result.made.is_product)  // each below the other
            for (; more.size() > 1; more.erase(more.begin())) {
                strips_.push_back({heading, {std::move(more.front())}, look});
                more[1].joint = "";
            }
        strips_.push_back({heading, {}, look});
    }

    // Remembers which panels of the strip the result was made from.
    void link(std::vector<Panel>& more, const MadeOf& made) const {
        const std::vector<Panel>& before = strips_.back().panels;
        for (const Grid& each : made.beside) {
            const auto is_it = [&](const Panel& panel) { return panel.grid == each; };
            const auto now = std::find_if(more.begin(), more.end() - 1, is_it);
            if (now != more.end() - 1)
                more.back().beside.push_back(before.size() + static_cast<std::size_t>(now - more.begin()));
            else if (!before.empty() && is_it(before.back())) more.back().beside.push_back(before.size() - 1);
        }
    }

    std::vector<std::string> lines_of(std::string formula, const Grid& grid) const {
        constexpr std::string_view per_head = ", one matrix per head";  // the heading says of which
        if (formula.ends_with(per_head)) formula.resize(formula.size() - per_head.size());
        constexpr double unit_per_column = 6.2, narrowest = 104;
        const double width = std::max(static_cast<double>(grid.columns) * look_.width, narrowest);
        std::istringstream text(wrapped(formula, static_cast<int>(width / unit_per_column)));
        std::vector<std::string> lines;
        for (std::string line; std::getline(text, line);) lines.push_back(line);
        return lines;
    }

    // Within its part of the model a step has a short name; a parameter is called by its layer and what it
    // is.
    std::string name_of(const Grid& grid, const std::string& scope) const {
        std::string name = source_.numbers(grid.node).name;
        if (name.empty()) return source_.name_in_use(grid.node);
        if (!source_.numbers(grid.node).step && name.find('/') == name.npos) {
            const std::size_t dot = name.rfind('.'),
                              before = dot == name.npos ? dot : name.rfind('.', dot - 1);
            const bool is_number =
                before != name.npos && std::isdigit(static_cast<unsigned char>(name[before + 1]));
            if (before != name.npos && !is_number) name = name.substr(before + 1);
        } else if (scope_of(name) == scope) {
            name = last_part(name);
        }
        return name + (grid.is_turned ? "ᵀ" : "");
    }

    Panel operand_panel(const Grid& grid, const std::string& scope) const {
        Panel panel{.grid = grid, .name = name_of(grid, scope)};
        panel.step = source_.numbers(grid.node).step;
        // A step that is drawn only where it is used has its formula there.
        const auto is_it = [&](const Result& result) { return result.grid.node == grid.node; };
        const auto result = std::find_if(made_.begin(), made_.end(), is_it);
        if (result != made_.end() && result->made == MadeOf{})
            panel.formula = lines_of(result->step->formula, grid);
        return panel;
    }

    const Source& source_;
    const double max_width_;
    CellLook look_;
    std::set<std::size_t> used_;
    std::vector<Result> made_;
    std::vector<Strip> strips_;
};

}  // namespace

double width_of(const Panel& panel, const CellLook& look) {
    double width = static_cast<double>(panel.grid.columns) * look.width;
    constexpr double usual = 0.9;  // of the width in the widest common font
    for (const std::string& line : panel.formula) width = std::max(width, usual * width_units(line));
    for (const std::string& name : panel.above_names) width = std::max(width, width_units(name, true));
    return std::max(width, width_units(panel.name, true));
}

double joint_width(const Panel& panel) { return panel.joint.empty() ? 22 : 38; }

namespace {

struct Count {
    std::size_t numbers = 0, cells = 0;
    bool fits() const { return numbers <= max_numbers && cells <= max_cells; }
};
Count count_of(const std::vector<Strip>& strips) {
    Count made;
    for (const Strip& strip : strips)
        for (const Panel& panel : strip.panels) {
            std::size_t& count = strip.look.has_numbers ? made.numbers : made.cells;
            count += panel.grid.places.size() * (panel.has_expected() ? 3 : 1);
            for (const Grid& each : panel.above) count += each.places.size();
        }
    return made;
}

}  // namespace

std::string scope_that_fits(const Report& report) {
    const std::vector<Report::Step>& steps = report.steps;
    std::map<std::string, index_t> parts;
    for (const Report::Step& step : steps)
        for (std::size_t at = step.path.find('/'); at != step.path.npos; at = step.path.find('/', at + 1))
            parts[step.path.substr(0, at)] += step.value.numel();
    std::erase_if(parts,
                  [](const auto& part) { return part.second > static_cast<index_t>(max_numbers) / 4; });
    const auto largest = std::max_element(parts.begin(), parts.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    const std::string only = "--only " + last_part(steps.back().path);
    return largest == parts.end() ? only : fmt::format("--scope {}, or {}", largest->first, only);
}

bool are_readable(const Source& source, double width) {
    const std::vector<Report::Step>& steps = source.report().steps;
    const auto is_too_large = [](const Report::Step& step) {
        const Shape& shape = step.value.shape();
        return (shape.rank() > 0 && shape[-1] > max_colored) || (shape.rank() > 1 && shape[-2] > max_colored);
    };
    return std::none_of(steps.begin(), steps.end(), is_too_large) &&
           count_of(Arranger(source, 2, width).strips()).fits();
}

std::vector<Strip> strips_of(const Source& source, int decimals, double width) {
    std::vector<Strip> strips = Arranger(source, decimals, width).strips();
    const Report& report = source.report();
    if (const Count count = count_of(strips); !count.fits())
        fail<UsageError>(
            "picture: {} of {} numbers are more than one picture shows (at most {}): draw a part of them, {}",
            counted(static_cast<index_t>(report.steps.size()), "step"), count.numbers + count.cells,
            max_numbers, scope_that_fits(report));
    return strips;
}

}  // namespace glassbox::tracer::drawing
