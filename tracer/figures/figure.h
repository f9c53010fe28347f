#pragma once
#include <string>
#include <variant>
#include <vector>

#include <glassbox/tensor/tensor.h>

#include "figures/chart.h"
#include "figures/palette.h"

namespace tracer {

using glassbox::index_t;
using glassbox::real;
using glassbox::Tensor;

// What an axis says: a name for every cell or point. With tick_every = 10 the first, the 10th, the 20th … are
// written; a renderer leaves out more where there is no room.
struct Axis {
    std::string label;
    std::vector<std::string> names;
    std::size_t tick_every = 1;

    bool has_tick(std::size_t i) const { return i == 0 || tick_every == 1 || (i + 1) % tick_every == 0; }
};

// Numbers as colours: rows downwards, in the order in which the matrix is printed.
struct HeatMap {
    std::string title;
    Axis x, y;                 // columns, rows
    std::vector<real> values;  // row-major, y.names.size() × x.names.size()
    double low = 0, high = 1;  // the values at the ends of the palette
    Palette palette = Palette::cividis;
    bool has_bar = false;  // the palette with its values stands beside it
    std::string hover =
        "{0} → {1}";  // what a browser says of a cell: {0} is the row's name, {1} the column's

    real at(std::size_t row, std::size_t column) const { return values[row * x.names.size() + column]; }
    Color color(std::size_t row, std::size_t column) const {
        return color_of(palette, static_cast<double>(at(row, column)), low, high);
    }
    std::size_t not_finite() const;  // how many of the values
};

// Series of points, joined by lines; y is cut at low and high.
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
    std::vector<std::vector<Panel>> rows;  // from the top; each from the left
    std::vector<ChartKey> keys{};          // of its charts
    std::vector<std::string> notes{};      // below it: what was left out
};

// Layers as rows, heads as columns, each a map with the tokens on both axes and a scale of its own:
// "Layer 1, Head 2"; one that has neither layers nor heads is "Attention".
// A layer's attention is (h, n_q, n_k), or (n_q, n_k) for one head; Error when the tokens are not n_q and
// n_k.
Figure attention_figure(const std::vector<Tensor>& layers, const std::vector<std::string>& queries,
                        const std::vector<std::string>& keys, const std::string& title = "");

// All maps of attention to the largest weight there is; one bar for all.
void share_scale(Figure& figure);

// The same maps on one scale from 0 to 1, where theirs are from 0 to different ends: parts of each map's end,
// which its title has. For a drawing that has one legend for all.
Figure in_parts_of_largest(Figure figure);

// A positional encoding (n, d), d ≥ 1: a map of hidden dimensions × positions, and plots of the first four
// dimensions at the first 16 positions. Both count from 1, as the tutorial's figures do.
Figure positional_figure(const Tensor& encoding);

// The dot products between positions, (n, n).
Figure dot_figure(const Tensor& dots);

}  // namespace tracer
