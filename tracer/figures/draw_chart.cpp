#include "figures/terminal_rows.h"

#include <fmt/format.h>

#include <cmath>

#include <glassbox/io/text.h>

#include "cli/output.h"
#include "figures/scale.h"

// Charts on a terminal, in braille characters of 2 × 4 dots: 70 columns and 9 rows have 140 × 36 dots.
namespace glassbox::tracer {
namespace {

constexpr int chart_rows = 9, max_y_ticks = 5;

const char* glyph_of(Chart::Mark mark) {
    static constexpr const char* glyphs[] = {"●", "■", "▲", "◆"};
    return glyphs[static_cast<int>(mark)];
}

Scale y_scale(const Chart& chart) {
    return chart.is_logarithmic ? logarithmic(chart.y_low, chart.y_high, max_y_ticks)
                                : rounded(chart.y_low, chart.y_high, max_y_ticks);
}

// At least chart_rows, with the same number of rows between any two ticks of a linear axis.
int rows_for(const Scale& y) {
    const int steps = static_cast<int>(y.ticks.size()) - 1;
    if (y.is_logarithmic || steps < 1) return chart_rows;
    return (chart_rows - 1 + steps - 1) / steps * steps + 1;
}

// A canvas of braille dots, one colour per character, with marks over them.
class Dots {
  public:
    Dots(int columns, int rows) : columns_(columns), rows_(rows) {
        cells_.resize(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
    }
    int width() const { return 2 * columns_; }
    int height() const { return 4 * rows_; }
    // The ends of the y axis are in the middle of the first and last row, where their labels are.
    double y_at(double position) const { return 1.5 + (1 - position) * 4 * (rows_ - 1); }

    // A line between two dots; `along` continues the dash pattern along a curve.
    void line(double x1, double y1, double x2, double y2, Color color, const std::vector<double>& dashes,
              double& along) {
        const double length = std::max(std::abs(x2 - x1), std::abs(y2 - y1));
        const int steps = std::max(1, static_cast<int>(std::ceil(length)));
        for (int i = 0; i <= steps; ++i) {
            const double share = static_cast<double>(i) / steps;
            if (is_drawn(dashes, along + length * share))
                dot(x1 + (x2 - x1) * share, y1 + (y2 - y1) * share, color);
        }
        along += length;
    }
    void mark(double x, double y, const char* glyph, Color color) {
        Cell& cell = at(static_cast<int>(std::lround(x)) / 2, static_cast<int>(std::lround(y)) / 4);
        cell.glyph = glyph;
        cell.color = color;
    }
    void put_row(Row& row, int y, Colors colors) const {
        for (int x = 0; x < columns_;) {
            const Color shade = cells_[index(x, y)].color;
            std::string text;  // a run of one colour
            for (; x < columns_ && cells_[index(x, y)].color == shade; ++x)
                text += text_of(cells_[index(x, y)]);
            if (shade == Color{}) row.put(text);
            else row.put_as(text, in_color(text, shade, colors));
        }
    }

  private:
    struct Cell {
        char32_t bits = 0;
        const char* glyph = nullptr;
        Color color{};  // black where empty
    };
    static std::string text_of(const Cell& cell) {
        return cell.glyph ? cell.glyph : cell.bits ? utf8(0x2800 + cell.bits) : " ";
    }
    std::size_t index(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(x);
    }
    Cell& at(int x, int y) {
        return cells_[index(std::clamp(x, 0, columns_ - 1), std::clamp(y, 0, rows_ - 1))];
    }
    // A dash of 4 units has 3 dots.
    static bool is_drawn(const std::vector<double>& dashes, double along) {
        double period = 0;
        for (const double length : dashes) period += length * 0.75;
        if (period == 0) return true;
        double left = std::fmod(along, period);
        for (std::size_t i = 0; i < dashes.size(); ++i) {
            if (left < dashes[i] * 0.75) return i % 2 == 0;
            left -= dashes[i] * 0.75;
        }
        return true;
    }
    void dot(double x, double y, Color color) {
        static constexpr char32_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
        const int u = std::clamp(static_cast<int>(std::lround(x)), 0, width() - 1);
        const int v = std::clamp(static_cast<int>(std::lround(y)), 0, height() - 1);
        Cell& cell = at(u / 2, v / 4);
        cell.bits |= bits[v % 4][u % 2];
        cell.color = color;
    }

    int columns_, rows_;
    std::vector<Cell> cells_;
};

void draw_series(Dots& dots, const Chart::Series& series, const Scale& x, const Scale& y) {
    const auto dot_x = [&](double value) { return x.position(value) * (dots.width() - 1); };
    const auto dot_y = [&](double value) { return dots.y_at(y.position(value)); };
    const std::vector<Chart::Point> points = thinned(series.points, x.low, x.high, dots.width());
    if (!series.is_line || points.size() == 1) {
        for (const Chart::Point& p : points)
            dots.mark(dot_x(p.x), dot_y(p.y), glyph_of(series.mark), series.color);
        return;
    }
    double along = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
        const Chart::Point &a = points[i - 1], &b = points[i];
        dots.line(dot_x(a.x), dot_y(a.y), dot_x(b.x), dot_y(b.y), series.color, dash_lengths(series.dash),
                  along);
    }
}

// The x axis with its ticks, and their numbers centred below.
void append_x_axis(Block& block, const Scale& x, int columns, int label) {
    std::vector<std::string> axis(static_cast<std::size_t>(columns), "─");
    Row numbers;
    for (const Scale::Tick& tick : x.ticks) {
        const int at = static_cast<int>(std::lround(x.position(tick.value) * (2 * columns - 1))) / 2;
        const int length = width_of(tick.text);
        const int from = std::min(label + 2 + at - length / 2, label + 2 + columns - length);
        axis[static_cast<std::size_t>(at)] = "┬";
        if (from < numbers.width() + (numbers.width() > 0 ? 1 : 0)) continue;
        numbers.fill_to(from);
        numbers.put(tick.text);
    }
    Row& row = block.emplace_back();
    row.fill_to(label + 1);
    row.put("└");
    for (const std::string& piece : axis) row.put(piece);
    block.push_back(numbers);
}

}  // namespace

int chart_label_width(const Chart& chart) {
    int width = 4;
    for (const Scale::Tick& tick : y_scale(chart).ticks) width = std::max(width, width_of(tick.text));
    return width;
}

Block drawn_chart(const Chart& chart, Colors colors, int width, int label) {
    const bool color = colors != Colors::none;
    const int columns = std::max(10, width - label - 2);
    const Scale x = x_scale(chart, std::max(2, columns / 10)), y = y_scale(chart);
    const int rows = rows_for(y);
    Dots dots(columns, rows);
    for (const Chart::Series& series : chart.series) draw_series(dots, series, x, y);
    std::vector<std::string> labels(static_cast<std::size_t>(rows));
    for (const Scale::Tick& tick : y.ticks)
        labels[static_cast<std::size_t>(std::lround((1 - y.position(tick.value)) * (rows - 1)))] = tick.text;

    Block block(1);
    block[0].fill_to(label + 2);
    block[0].put(shortened(printable(chart.title), columns), bold, color);
    for (int line = 0; line < rows; ++line) {
        const std::string& text = labels[static_cast<std::size_t>(line)];
        Row& row = block.emplace_back();
        row.put(right_aligned(text, label) + (text.empty() ? " │" : " ┤"));
        dots.put_row(row, line, colors);
    }
    append_x_axis(block, x, columns, label);
    if (!chart.x_label.empty()) {
        Row& row = block.emplace_back();
        row.fill_to(label + 2 + (columns - width_of(chart.x_label)) / 2);
        row.put(chart.x_label, dim, color);
    }
    return block;
}

Block drawn_keys(const std::vector<ChartKey>& keys, Colors colors, int width) {
    constexpr int sample = 7, space = 3;
    Block block(1);
    for (const ChartKey& key : keys) {
        const int length = key.has_line ? sample : 1;
        Dots dots(length, 1);
        double along = 0;
        if (key.has_line) dots.line(0, 2, dots.width() - 1, 2, key.color, dash_lengths(key.dash), along);
        if (key.has_mark) dots.mark(dots.width() / 2.0, 2, glyph_of(key.mark), key.color);
        const std::string text = shortened(printable(key.text), std::max(1, width - length - 1));
        if (block.back().width() > 0) {
            if (block.back().width() + space + length + 1 + width_of(text) > width) block.emplace_back();
            else block.back().fill_to(block.back().width() + space);
        }
        dots.put_row(block.back(), 0, colors);
        block.back().put(" " + text);
    }
    return block;
}

}  // namespace glassbox::tracer
