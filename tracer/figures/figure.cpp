#include "figures/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/format.h>

namespace glassbox::tracer {
namespace {

// Ticks at 0, 10, 20 … where there are too many for all.
Axis numbered(const std::string& label, index_t n) {
    return {label, names_or_numbers({}, n), n > 20 ? 10u : 1u};
}

struct ValueRange {
    double low = INFINITY, high = -INFINITY;

    void include(const std::vector<real>& values) {
        for (const real value : values)
            if (std::isfinite(value)) {
                low = std::min(low, static_cast<double>(value));
                high = std::max(high, static_cast<double>(value));
            }
    }
    double largest() const { return high >= low ? std::max(std::abs(low), std::abs(high)) : 0; }
};

void check_layer(const Tensor& attention, std::size_t queries, std::size_t keys) {
    const int rank = attention.rank();
    if (rank != 2 && rank != 3)
        fail("attention figure: expected attention of shape (h, n_q, n_k) or (n_q, n_k), got {}",
             attention.shape());
    if (attention.size(-2) != static_cast<index_t>(queries) ||
        attention.size(-1) != static_cast<index_t>(keys))
        fail("attention figure: {} queries and {} keys are named, attention has shape {}", queries, keys,
             attention.shape());
}

void check_matrix(const char* what, const Tensor& x) {
    if (x.rank() != 2) fail("{}: expected a matrix, got shape {}", what, x.shape());
}

// The end of a scale that begins at 0.
double end_of_scale(const std::vector<real>& values) {
    ValueRange extent;
    extent.include(values);
    return extent.high > 0 ? extent.high : 1;
}

// One layer's heads, left to right, each with its own scale.
std::vector<Panel> heads_of(const Tensor& attention, std::size_t layer, const Axis& queries,
                            const Axis& keys) {
    const std::size_t size = queries.names.size() * keys.names.size();
    const auto heads = attention.rank() == 3 ? static_cast<std::size_t>(attention.size(0)) : 1;
    const std::vector<real> values = attention.values();
    std::vector<Panel> panels;
    for (std::size_t head = 0; head < heads; ++head) {
        HeatMap map;
        map.title = fmt::format("layer {}, head {}", layer, head);
        map.x = keys;
        map.y = queries;
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(head * size);
        map.values.assign(first, first + static_cast<std::ptrdiff_t>(size));
        map.high = end_of_scale(map.values);
        map.has_bar = true;
        map.are_weights = true;
        panels.emplace_back(std::move(map));
    }
    return panels;
}

// Of the only layer: by head alone.
void name_heads(std::vector<Panel>& row) {
    for (std::size_t head = 0; head < row.size(); ++head)
        std::get<HeatMap>(row[head]).title = row.size() == 1 ? "Attention" : fmt::format("head {}", head);
}

std::vector<HeatMap*> maps_of(Figure& figure) {
    std::vector<HeatMap*> maps;
    for (std::vector<Panel>& row : figure.rows)
        for (Panel& panel : row)
            if (HeatMap* map = std::get_if<HeatMap>(&panel)) maps.push_back(map);
    return maps;
}

LinePlot dimension_plot(const std::vector<real>& encoding, index_t positions, index_t d, index_t dimension,
                        double high) {
    static constexpr Color colors[] = {{31, 119, 180}, {213, 94, 0}, {44, 160, 44}, {214, 39, 40}};
    LinePlot plot;
    plot.title = fmt::format("Encoding in hidden dimension {}", dimension);
    plot.x = {"Position in sequence", names_or_numbers({}, positions), 1};
    plot.y_label = "Positional encoding";
    plot.low = -high;
    plot.high = high;
    LinePlot::Series series{"", {}, colors[dimension]};
    for (index_t t = 0; t < positions; ++t)
        series.values.push_back(encoding[static_cast<std::size_t>(t * d + dimension)]);
    plot.series.push_back(std::move(series));
    return plot;
}

}  // namespace

std::size_t HeatMap::not_finite() const {
    const auto count =
        std::count_if(values.begin(), values.end(), [](real value) { return !std::isfinite(value); });
    return static_cast<std::size_t>(count) - not_there();
}

std::size_t HeatMap::not_there() const {
    const auto count =
        std::count_if(values.begin(), values.end(), [](real value) { return std::isnan(value); });
    return absent.empty() ? 0 : static_cast<std::size_t>(count);
}

std::size_t HeatMap::hidden_cells() const {
    return static_cast<std::size_t>(std::count(hidden.begin(), hidden.end(), true));
}

std::vector<std::string> names_or_numbers(const std::vector<std::string>& names, index_t count) {
    if (static_cast<index_t>(names.size()) == count) return names;
    std::vector<std::string> numbers;
    for (index_t i = 0; i < count; ++i) numbers.push_back(std::to_string(i));
    return numbers;
}

Figure attention_figure(const std::vector<Tensor>& layers, const std::vector<std::string>& queries,
                        const std::vector<std::string>& keys, const std::string& title) {
    Figure figure{title, {}};
    for (const Tensor& attention : layers) {
        check_layer(attention, queries.size(), keys.size());
        figure.rows.push_back(heads_of(attention, figure.rows.size(), {"query", queries}, {"key", keys}));
    }
    if (layers.size() == 1) name_heads(figure.rows[0]);
    return figure;
}

std::string common_beginning(const std::vector<const HeatMap*>& maps) {
    std::string common;
    for (const HeatMap* map : maps) {
        const std::size_t comma = map->title.rfind(", ");
        if (comma == std::string::npos || maps.size() < 2) return "";
        const std::string beginning = map->title.substr(0, comma);
        if (map != maps.front() && beginning != common) return "";
        common = beginning;
    }
    return common;
}

void hide_unseen(std::vector<Panel>& row, const Tensor& seen) {
    const std::vector<real> visible = seen.values();
    for (std::size_t head = 0; head < row.size(); ++head) {
        auto& map = std::get<HeatMap>(row[head]);
        const std::size_t first = head * map.values.size();
        map.hidden.clear();
        for (std::size_t i = 0; i < map.values.size(); ++i)
            map.hidden.push_back(visible[first + i] == 0 && map.values[i] == 0);
    }
}

void share_scale(Figure& figure, double least_end) {
    std::vector<HeatMap*> maps = maps_of(figure);
    std::erase_if(maps, [](const HeatMap* map) { return map->palette != Palette::cividis; });
    double high = least_end;
    for (const HeatMap* map : maps) high = std::max(high, map->high);
    for (HeatMap* map : maps) {
        map->high = high;
        map->has_bar = map == maps[std::min(maps.size(), figure.rows[0].size()) - 1];
    }
}

Figure relative_to_largest(Figure figure) {
    const std::vector<HeatMap*> maps = maps_of(figure);
    const bool differ =
        std::any_of(maps.begin(), maps.end(), [&](const HeatMap* map) { return map->high != maps[0]->high; });
    if (!differ) return figure;
    for (HeatMap* map : maps) {
        map->title += fmt::format(" ({:.3g})", map->high);
        for (real& value : map->values) value = static_cast<real>(static_cast<double>(value) / map->high);
        map->high = 1;
    }
    figure.notes.push_back("Relative to each map's largest weight, given after its title:");
    return figure;
}

Figure positional_figure(const Tensor& encoding) {
    check_matrix("positional figure", encoding);
    const index_t n = encoding.size(0), d = encoding.size(1);
    const std::vector<real> values = encoding.values();
    ValueRange extent;
    extent.include(values);
    // Sines and cosines are between −1 and 1; a learned embedding may exceed that.
    const double high = extent.largest() > 1.001 ? extent.largest() : 1;

    HeatMap map;
    map.title = "Positional encoding over hidden dimensions";
    map.x = numbered("Position in sequence", n);
    map.y = numbered("Hidden dimension", d);
    for (index_t i = 0; i < d; ++i)
        for (index_t t = 0; t < n; ++t) map.values.push_back(values[static_cast<std::size_t>(t * d + i)]);
    map.low = -high;
    map.high = high;
    map.palette = Palette::red_blue;
    map.has_bar = true;
    map.hover = "dimension {0}, position {1}";

    Figure figure;
    figure.rows.push_back({std::move(map)});
    for (index_t i = 0; i < std::min<index_t>(d, 4); ++i) {
        if (i % 2 == 0) figure.rows.emplace_back();
        figure.rows.back().push_back(dimension_plot(values, std::min<index_t>(n, 16), d, i, high));
    }
    return figure;
}

Figure dot_figure(const Tensor& dots) {
    check_matrix("dot product figure", dots);
    HeatMap map;
    map.title = "Dot products between positions";
    map.x = numbered("Position in sequence", dots.size(1));
    map.y = numbered("Position in sequence", dots.size(0));
    map.values = dots.values();
    ValueRange extent;
    extent.include(map.values);
    if (extent.high >= extent.low) {
        map.low = extent.low;
        map.high = extent.high;
    }
    map.has_bar = true;
    map.hover = "positions {0} and {1}";
    return {"", {{std::move(map)}}};
}

}  // namespace glassbox::tracer
