#include "figures/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <glassbox/io/text.h>

#include "cli/number.h"
#include "cli/output.h"
#include "cli/text_width.h"
#include "figures/terminal_rows.h"

namespace glassbox::tracer {
namespace {

constexpr const char* shades[] = {" ", "░", "▒", "▓", "█"};
constexpr int shade_count = 5, longest_row_name = 16, longest_x_name = 10;
constexpr std::size_t max_rows = 64;  // of a map
constexpr int bar_columns = 24;       // of the legend
constexpr int max_widened = 26;       // width in columns up to which cells may be wider than two
constexpr const char* not_finite_mark = "╳";

std::string repeated(int n, const std::string& text) {
    std::string result;
    for (int i = 0; i < n; ++i) result += text;
    return result;
}

Row plain(const std::string& text) {
    Row row;
    row.put(text);
    return row;
}

std::string shown(const Axis& axis, std::size_t i) {
    return shortened(printable(axis.drawn.empty() ? axis.names[i] : axis.drawn[i]), longest_row_name);
}

// The ticks of an axis below its cells, `cell` columns each, from column `left` on.
class XTicks {
  public:
    XTicks(const Axis& axis, std::size_t count, int cell, int left) : cell_(cell), left_(left) {
        for (std::size_t i = 0; i < count; ++i)
            if (axis.has_tick(i)) ticks_.emplace_back(static_cast<int>(i), shown(axis, i));
    }
    bool fit_side_by_side() const {
        for (std::size_t i = 1; i < ticks_.size(); ++i)
            if (width_of(ticks_[i - 1].second) >= (ticks_[i].first - ticks_[i - 1].first) * cell_)
                return false;
        return true;
    }
    // Leaves out names that would touch the one before.
    Block side_by_side() const {
        Row row;
        for (const auto& [at, name] : ticks_) {
            const int from = left_ + at * cell_;
            if (row.width() > left_ && row.width() >= from) continue;
            row.fill_to(from);
            row.put(name);
        }
        return {row};
    }
    // Each begins below its column, on the first line where it does not touch another.
    Block on_lines() const {
        Block block;
        for (const auto& [at, name] : ticks_) {
            if (name.empty()) continue;
            const int from = left_ + at * cell_;
            std::size_t line = 0;
            while (line < block.size() && block[line].width() >= from) ++line;
            if (line == block.size()) block.emplace_back();
            block[line].fill_to(from);
            block[line].put(shortened(name, longest_x_name));
        }
        return block;
    }

  private:
    std::vector<std::pair<int, std::string>> ticks_;
    int cell_, left_;
};

void append(Block& block, const Block& more) { block.insert(block.end(), more.begin(), more.end()); }

Block drawn(const HeatMap& map, std::size_t title_from, Colors colors, int width) {
    const bool color = colors != Colors::none;
    int label = 0;
    std::size_t rows = std::min(map.y.names.size(), max_rows), columns = map.x.names.size();
    for (std::size_t i = 0; i < rows; ++i)
        if (map.y.has_tick(i)) label = std::max(label, width_of(shown(map.y, i)));
    const int available = std::max(1, width - label - 3);  // without the space and the two borders
    const int n = static_cast<int>(columns);
    int cell = 2;  // wider where the names then fit on one line, and two maps side by side
    if (map.is_magnified) cell = 4;
    while (n * cell < max_widened && !XTicks(map.x, columns, cell, 0).fit_side_by_side()) ++cell;
    if (n * cell >= max_widened) cell = std::clamp(available / std::max(n, 1), 1, 2);
    columns = std::min(columns, static_cast<std::size_t>(available / cell));

    Block block(1);
    block[0].fill_to(label + 2);
    block[0].put(shortened(printable(map.title.substr(title_from)), std::max(1, width - label - 2)), bold,
                 color);
    const auto put_cells = [&](Row& row, std::size_t i) {
        for (std::size_t k = 0; k < columns; ++k) {
            const double value = static_cast<double>(map.at(i, k));
            const double at = position_of(value, map.low, map.high);
            if (map.is_hidden(i, k)) {
                row.put(repeated(cell, hidden_mark), dim, color);
            } else if (!std::isfinite(value)) {
                const std::string mark = repeated(cell, not_finite_mark);
                row.put_as(mark, on_not_finite(mark, colors));
            } else if (colors >= Colors::many) {
                const std::string blank = repeated(cell, " ");
                row.put_as(blank, on_palette(blank, map.palette, at, colors));
            } else {
                row.put(
                    repeated(cell, shades[std::min(shade_count - 1, static_cast<int>(at * shade_count))]));
            }
        }
    };
    for (std::size_t i = 0; i < rows; ++i) {
        Row row;
        row.put(right_aligned(map.y.has_tick(i) ? shown(map.y, i) : "", label) + " │");
        put_cells(row, i);
        row.put("│");
        block.push_back(row);
        if (!map.is_magnified) continue;
        Row again = plain(right_aligned("", label) + " │");
        put_cells(again, i);
        again.put("│");
        block.push_back(again);
    }
    if (map.values.empty()) block.push_back(plain(right_aligned("", label) + " │empty│"));
    const XTicks x_ticks(map.x, columns, cell, label + 2);
    append(block,
           x_ticks.fit_side_by_side() || map.x.tick_every > 1 ? x_ticks.side_by_side() : x_ticks.on_lines());
    if (columns < map.x.names.size() || rows < map.y.names.size()) {
        block.emplace_back();
        block.back().put(fmt::format("{}the first {} of {} rows, {} of {} columns",
                                     std::string(static_cast<std::size_t>(label + 2), ' '), rows,
                                     map.y.names.size(), columns, map.x.names.size()),
                         dim, color);
    }
    return block;
}

// In dots, as a chart.
Block drawn(const LinePlot& plot, Colors colors, int width) {
    constexpr int per_point = 2;
    Chart chart;
    chart.title = plot.title;
    const std::vector<std::string>& names = plot.x.names;
    if (names != names_or_numbers({}, static_cast<index_t>(names.size()))) chart.x_names = names;
    chart.x_high = std::max(1., static_cast<double>(plot.x.names.size()) - 1);
    chart.y_low = plot.low, chart.y_high = plot.high;
    for (const LinePlot::Series& each : plot.series) {
        Chart::Series line{{}, each.color};
        for (std::size_t i = 0; i < each.values.size(); ++i)
            if (std::isfinite(each.values[i]))
                line.points.push_back({static_cast<double>(i), static_cast<double>(each.values[i])});
        chart.series.push_back(std::move(line));
    }
    const int label = chart_label_width(chart), needed = per_point * static_cast<int>(plot.x.names.size());
    const int titled = width_of(plot.title);
    return drawn_chart(chart, colors, std::min(width, label + 2 + std::max(needed, titled)), label);
}

// Blocks from left to right as far as they fit, then on the next line.
std::string flowed(const std::vector<Block>& blocks, int width) {
    constexpr int space = 3;
    std::string text;
    for (std::size_t first = 0; first < blocks.size();) {
        std::size_t end = first, lines = 0;
        for (int used = 0; end < blocks.size(); ++end) {
            used += block_width(blocks[end]) + (end > first ? space : 0);
            if (end > first && used > width) break;
            lines = std::max(lines, blocks[end].size());
        }
        for (std::size_t line = 0; line < lines; ++line) {
            std::string row;
            int used = 0, left = 0;  // text is padded only where a block follows
            for (std::size_t i = first; i < end; ++i) {
                if (line < blocks[i].size()) {
                    row += std::string(static_cast<std::size_t>(left - used), ' ') + blocks[i][line].text();
                    used = left + blocks[i][line].width();
                }
                left += block_width(blocks[i]) + space;
            }
            text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
        }
        text += "\n";
        first = end;
    }
    return text;
}

// Maps side by side. What their titles begin with stands above all of them where that makes them narrower.
std::string maps_in_row(const std::vector<const HeatMap*>& maps, Colors colors, int width) {
    const auto blocks = [&](std::size_t title_from) {
        std::vector<Block> all;
        for (const HeatMap* map : maps) all.push_back(drawn(*map, title_from, colors, width));
        return all;
    };
    const auto width_of_all = [](const std::vector<Block>& all) {
        int sum = 0;
        for (const Block& block : all) sum += block_width(block);
        return sum;
    };
    const std::string common = common_beginning(maps);
    const std::vector<Block> whole = blocks(0);
    if (common.empty()) return flowed(whole, width);
    const std::vector<Block> headed = blocks(common.size() + 2);
    if (width_of_all(headed) >= width_of_all(whole)) return flowed(whole, width);
    return styled(printable(common), bold, colors != Colors::none) + "\n" + flowed(headed, width);
}

// The legend of a map's colours or shades.
std::string legend(const HeatMap& map, Colors colors) {
    std::string text;
    if (colors >= Colors::many) {
        for (int i = 0; i < bar_columns; ++i)
            text += on_palette(" ", map.palette, (i + 0.5) / bar_columns, colors);
        return fmt::format("{:.3g} {} {:.3g}\n", map.low, text, map.high);
    }
    for (int i = 0; i < shade_count; ++i)
        text += fmt::format("{}{} from {:.3g}", i ? ", " : "", i ? shades[i] : "blank",
                            map.low + (map.high - map.low) * i / shade_count);
    return fmt::format("{} to {:.3g}\n", text, map.high);
}

std::string legends(const std::vector<const HeatMap*>& maps, Colors colors) {
    std::set<std::tuple<Palette, double, double>> seen;
    std::string text;
    std::size_t not_finite = 0, hidden = 0;
    for (const HeatMap* map : maps) {
        if (seen.emplace(map->palette, map->low, map->high).second) text += legend(*map, colors);
        not_finite += map->not_finite();
        hidden += map->hidden_cells();
    }
    if (hidden > 0)
        text += fmt::format("{} {}\n", styled(hidden_mark, dim, colors != Colors::none), hidden_note);
    if (not_finite > 0)
        text += fmt::format("{} not a number, or infinite ({})\n", on_not_finite(not_finite_mark, colors),
                            counted(static_cast<index_t>(not_finite), "cell"));
    if (!maps.empty() && !maps[0]->x.label.empty())
        text += fmt::format("down: {}, across: {}\n", maps[0]->y.label, maps[0]->x.label);
    return text;
}

}  // namespace

std::string draw_terminal(const Figure& figure, Colors colors, int width) {
    const bool color = colors != Colors::none;
    std::string text;
    if (!figure.title.empty()) text += styled(printable(figure.title), bold, color) + "\n\n";
    if (!figure.keys.empty()) text += flowed({drawn_keys(figure.keys, colors, width)}, width);
    int label = 0;  // the same for all charts, so that their axes align
    for (const std::vector<Panel>& row : figure.rows)
        for (const Panel& panel : row)
            if (const Chart* chart = std::get_if<Chart>(&panel))
                label = std::max(label, chart_label_width(*chart));
    std::vector<const HeatMap*> maps;
    for (const std::vector<Panel>& row : figure.rows) {
        std::vector<Block> blocks;
        std::vector<const HeatMap*> maps_of_row;
        for (const Panel& panel : row) {
            if (const Chart* chart = std::get_if<Chart>(&panel))
                blocks.push_back(drawn_chart(*chart, colors, width, label));
            else if (const LinePlot* plot = std::get_if<LinePlot>(&panel))
                blocks.push_back(drawn(*plot, colors, width));
            else maps_of_row.push_back(&std::get<HeatMap>(panel));
        }
        text += flowed(blocks, width) + (maps_of_row.empty() ? "" : maps_in_row(maps_of_row, colors, width));
        maps.insert(maps.end(), maps_of_row.begin(), maps_of_row.end());
    }
    for (const std::string& note : figure.notes) text += wrapped_lines(printable(note) + "\n", width);
    return text + legends(maps, colors);
}

}  // namespace glassbox::tracer
