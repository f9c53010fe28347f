#pragma once
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include <glassbox/tensor/tensor.h>

#include "figures/chart.h"
#include "figures/palette.h"

namespace glassbox::tracer {

// An axis: a name for every cell or point. With tick_every = 10 the first, the 11th, the 21st … (0, 10, 20)
// are shown; a renderer leaves out more where they do not fit.
struct Axis {
    std::string label;
    std::vector<std::string> names;
    std::size_t tick_every = 1;
    int widest = 16;                   // columns; longer names are cut
    std::vector<bool> is_wrong{};      // names that are marked and red; empty: none
    std::vector<std::string> drawn{};  // the names that are shown, with places; empty: these

    bool has_mark(std::size_t i) const { return i < is_wrong.size() && is_wrong[i]; }

    bool has_tick(std::size_t i) const { return i % tick_every == 0; }
};

// A matrix as colours, rows downwards as printed.
struct HeatMap {
    std::string title;
    Axis x, y;                 // columns, rows
    std::vector<real> values;  // row-major, y.names.size() × x.names.size()
    double low = 0, high = 1;  // the values at the ends of the palette
    Palette palette = Palette::cividis;
    bool has_bar = false;             // whether to draw a colour bar
    std::string hover = "{0} → {1}";  // a cell's tooltip: {0} is the row's name, {1} the column's
    bool is_table = false;            // each row has its name, however many there are
    bool has_counts = false;          // the values are whole numbers
    std::string absent{};             // what NaN means: "not submitted"; empty: not a number
    std::vector<bool> hidden{};       // as values: by a mask, and so without a weight; empty: none
    bool are_weights = false;         // of attention; cells that have room for them show their numbers
    bool is_magnified = false;        // on a terminal, by 2

    real at(std::size_t row, std::size_t column) const { return values[row * x.names.size() + column]; }
    bool is_hidden(std::size_t row, std::size_t column) const {
        return !hidden.empty() && hidden[row * x.names.size() + column];
    }
    Color color(std::size_t row, std::size_t column) const {
        if (is_hidden(row, column)) return hidden_color;
        if (!absent.empty() && std::isnan(at(row, column))) return absent_color;
        return color_of(palette, static_cast<double>(at(row, column)), low, high);
    }
    std::size_t not_finite() const;  // number of NaN and infinite values, without those that are absent
    std::size_t not_there() const;   // number of absent ones
    std::size_t hidden_cells() const;
};

constexpr const char* hidden_note = "hidden by the mask";

// Series of points joined by lines; y is clamped to low and high.
struct LinePlot {
    struct Series {
        std::string name;
        std::vector<real> values;  // x.names.size() of them
        Color color;
    };
    std::string title;
    Axis x;
    std::string y_label;
    std::vector<Series> series;
    double low = -1, high = 1;
};

using Panel = std::variant<HeatMap, LinePlot, Chart>;

struct Figure {
    std::string title;                     // may be empty
    std::vector<std::vector<Panel>> rows;  // top to bottom, each left to right
    std::vector<ChartKey> keys{};          // legend of its charts
    std::vector<std::string> notes{};      // lines below it, such as what was left out
};

// The names, or 0, 1, 2 … where there are not `count` of them.
std::vector<std::string> names_or_numbers(const std::vector<std::string>& names, index_t count);

// Layers as rows, heads as columns, each a map with the tokens on both axes and its own scale: "layer 0,
// head 1"; a single matrix is "Attention". A layer's attention is (h, n_q, n_k), or (n_q, n_k) for one head;
// Error when there are not n_q and n_k tokens.
Figure attention_figure(const std::vector<Tensor>& layers, const std::vector<std::string>& queries,
                        const std::vector<std::string>& keys, const std::string& title = "");

// The common prefix of the maps' titles up to their last comma: "layer 1" of "layer 1, head 0".
std::string common_beginning(const std::vector<const HeatMap*>& maps);

// Hides the weights of a row of maps, (h, n_q, n_k) or (n_q, n_k) as their layer, where `seen` is 0; those
// that are not 0, as with a mistake, stay visible.
void hide_unseen(std::vector<Panel>& row, const Tensor& seen);

// Scales all attention maps from 0 to their largest weight, or to `least_end` where that is larger; with one
// colour bar.
void share_scale(Figure& figure, double least_end = 0);

// Maps with different scales from 0 rescaled to 0 … 1, each relative to its own end, which is added to its
// title. For a drawing with one legend for all.
Figure relative_to_largest(Figure figure);

// A positional encoding (n, d), d ≥ 1: a map of hidden dimensions × positions, and plots of the first four
// dimensions at the first 16 positions. Both count from 1, as the tutorial's figures do.
Figure positional_figure(const Tensor& encoding);

// The dot products between positions, (n, n).
Figure dot_figure(const Tensor& dots);

}  // namespace glassbox::tracer
