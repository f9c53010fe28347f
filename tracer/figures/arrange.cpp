#include "figures/arrange.h"
#include "figures/panel_box.h"

#include <algorithm>
#include <cstdint>

// The layout of a figure's panels: rows as in the figure where they fit the page; else small maps, which
// share axis names and have their scales as text; else rows broken into several lines.
namespace glassbox::tracer {
namespace {

constexpr double page_width = 900;
constexpr double wide_gap = 26, narrow_gap = 16;  // between panels
constexpr double min_map = 72;                    // minimum of the longer side of a map
constexpr double cells[] = {40, 30,  24, 20,  16, 14,  12, 10,  9, 8,   7,
                            6,  5.5, 5,  4.5, 4,  3.5, 3,  2.5, 2, 1.5, 1};

using Maps = std::vector<const HeatMap*>;

// A row of the figure, or a part of one.
struct FigureRow {
    std::vector<const Panel*> panels;
    Maps maps;  // all of its panels, or empty if some are not maps
};

std::vector<FigureRow> rows_of(const Figure& figure, std::size_t max_maps) {
    std::vector<FigureRow> rows;
    for (const std::vector<Panel>& panels : figure.rows) {
        const bool are_maps = std::all_of(panels.begin(), panels.end(), [](const Panel& panel) {
            return std::holds_alternative<HeatMap>(panel);
        });
        rows.emplace_back();
        for (const Panel& panel : panels) {
            if (are_maps && rows.back().panels.size() == max_maps) rows.emplace_back();
            rows.back().panels.push_back(&panel);
            if (are_maps) rows.back().maps.push_back(&std::get<HeatMap>(panel));
        }
    }
    return rows;
}

bool same_names(const Axis& a, const Axis& b) { return a.label == b.label && a.names == b.names; }

struct Style {
    double max_cell = 40;
    bool is_small = false;
    bool turns_names = false;  // of all maps at one angle
};

// `below`: the maps of the next line, or empty.
BoxLine map_line(const Maps& maps, const Maps& below, const Style& style) {
    const auto bars =
        std::count_if(maps.begin(), maps.end(), [](const HeatMap* map) { return map->has_bar; });
    const std::string common = common_beginning(maps);
    const auto boxes = [&](std::size_t title_from) {
        std::vector<std::unique_ptr<Box>> result;
        for (std::size_t i = 0; i < maps.size(); ++i) {
            MapStyle own{maps[i]->title.substr(std::min(title_from, maps[i]->title.size())), style.max_cell};
            own.turns_names = style.turns_names && maps[i]->x.tick_every == 1;
            if (style.is_small) {
                own.names_y = i == 0 || !same_names(maps[i]->y, maps[i - 1]->y);
                own.names_x = i >= below.size() || !same_names(maps[i]->x, below[i]->x);
                own.has_scale_text = bars > 1 && maps[i]->has_bar;
            }
            result.push_back(map_box(*maps[i], own));
        }
        return result;
    };
    BoxLine line{"", boxes(0), style.is_small ? narrow_gap : wide_gap};
    if (common.empty()) return line;
    BoxLine headed{common, boxes(common.size() + 2), line.gap};
    return headed.width() < line.width() ? std::move(headed) : std::move(line);
}

BoxLine other_line(const FigureRow& row) {
    BoxLine line{"", {}, wide_gap};
    for (const Panel* panel : row.panels) {
        if (const HeatMap* map = std::get_if<HeatMap>(panel))
            line.boxes.push_back(map_box(*map, {map->title}));
        else if (const Chart* chart = std::get_if<Chart>(panel)) line.boxes.push_back(chart_box(*chart));
        else line.boxes.push_back(plot_box(std::get<LinePlot>(*panel)));
    }
    return line;
}

// Aligns the frames of maps in a column.
void align(std::vector<BoxLine>& lines, const std::vector<FigureRow>& rows) {
    for (std::size_t column = 0;; ++column) {
        double left = 0, right = 0;
        const auto for_each_box = [&](auto&& act) {
            bool has_any = false;
            for (std::size_t i = 0; i < lines.size(); ++i)
                if (rows[i].maps.size() > std::max<std::size_t>(column, 1)) {
                    act(*lines[i].boxes[column]);
                    has_any = true;
                }
            return has_any;
        };
        const bool has_any = for_each_box([&](const Box& box) {
            left = std::max(left, box.left());
            right = std::max(right, box.right());
        });
        if (!has_any) return;
        for_each_box([&](Box& box) { box.reserve(left, right); });
    }
}

double widest(const std::vector<BoxLine>& lines) {
    double widest_line = 0;
    for (const BoxLine& line : lines) widest_line = std::max(widest_line, line.width());
    return widest_line;
}

// Stretches lines of line plots to the width of the widest line.
void justify(std::vector<BoxLine>& lines) {
    const double widest_line = widest(lines);
    for (const BoxLine& line : lines) {
        const double more =
            (widest_line - line.width()) / std::max(1.0, static_cast<double>(line.boxes.size()));
        if (std::all_of(line.boxes.begin(), line.boxes.end(),
                        [](const auto& box) { return box->stretches(); }))
            for (const auto& box : line.boxes) box->stretch(more);
    }
}

Page make_page(const std::vector<FigureRow>& rows, Style style) {
    Page page;
    for (const FigureRow& row : rows)
        for (const HeatMap* map : row.maps)
            style.turns_names = style.turns_names || !names_fit(*map, style.max_cell);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Maps none;
        const Maps& below = i + 1 < rows.size() ? rows[i + 1].maps : none;
        page.lines.push_back(rows[i].maps.empty() ? other_line(rows[i])
                                                  : map_line(rows[i].maps, below, style));
        const auto bars = std::count_if(rows[i].maps.begin(), rows[i].maps.end(),
                                        [](const HeatMap* map) { return map->has_bar; });
        page.have_scale_text = page.have_scale_text || (style.is_small && bars > 1);
    }
    align(page.lines, rows);
    justify(page.lines);
    return page;
}

// All maps have cells of one size.
double smallest_cell(const std::vector<FigureRow>& rows) {
    double smallest = cells[0];
    for (const FigureRow& row : rows)
        for (const HeatMap* map : row.maps)
            if (!map->is_table) smallest = std::min(smallest, cell_units(*map));
    return smallest;
}

// The largest number of cells along a side of a map, and of maps in a row.
std::pair<std::size_t, std::size_t> largest(const std::vector<FigureRow>& rows) {
    std::size_t side = 0, beside = 0;
    for (const FigureRow& row : rows) {
        beside = std::max(beside, row.maps.size());
        for (const HeatMap* map : row.maps) side = std::max({side, map->x.names.size(), map->y.names.size()});
    }
    return {side, beside};
}

}  // namespace

double BoxLine::width() const {
    double width = 0;
    for (const auto& box : boxes) width += box->width() + (box == boxes.front() ? 0 : gap);
    return std::max(width, width_units(heading, true));
}

Page arranged(const Figure& figure) {
    const std::vector<FigureRow> rows = rows_of(figure, SIZE_MAX);
    Page page = make_page(rows, {smallest_cell(rows)});
    const auto [side, beside] = largest(rows);
    if (beside == 0) return page;
    for (std::size_t lines = 1; lines <= beside && widest(page.lines) > page_width; ++lines) {
        const std::vector<FigureRow> parts = rows_of(figure, (beside + lines - 1) / lines);
        for (const double cell : cells) {
            if (widest(page.lines) <= page_width || cell * static_cast<double>(side) < min_map) break;
            page = make_page(parts, {std::min(cell, smallest_cell(rows)), true});
        }
    }
    return page;
}

}  // namespace glassbox::tracer
