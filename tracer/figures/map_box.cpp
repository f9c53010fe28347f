#include "figures/panel_box.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "figures/axis_names.h"
#include "figures/scale.h"

namespace glassbox::tracer {

double cell_units(const HeatMap& map) {
    if (map.is_table) return map.y.names.size() <= 12 ? 24 : line_height;
    const std::size_t n = std::max(map.x.names.size(), map.y.names.size());
    return n <= 4     ? 40
           : n <= 8   ? 32
           : n <= 12  ? 24
           : n <= 24  ? 16
           : n <= 48  ? 10
           : n <= 100 ? 6
           : n <= 256 ? 4
                      : 2;
}

namespace {

constexpr double bar_width = 12, bar_gap = 12;

// At round numbers within the scale.
std::vector<Scale::Tick> bar_ticks(const HeatMap& map, double height) {
    if (!(map.high > map.low)) return {{map.low, short_number(map.low)}};
    const int most = std::clamp(static_cast<int>(height / 18), 2, 6);
    return between(map.low, map.high, most, map.has_counts ? 1 : 0).ticks;
}

bool fit_side_by_side(const std::vector<NameTick>& ticks, double step) {
    for (std::size_t i = 1; i < ticks.size(); ++i) {
        const double distance = static_cast<double>(ticks[i].at - ticks[i - 1].at) * step;
        if ((ticks[i].width + ticks[i - 1].width) / 2 + word_gap > distance) return false;
    }
    return true;
}

constexpr std::size_t max_numbered = 8;  // cells along a side of a map with numbers in them
constexpr double width_of_number = 30;   // "0.28"

// "0.28", "0.004", "4e−7": with a digit that is not 0.
std::string weight_text(double value) {
    if (value == 0 || std::abs(value) >= 0.01) return fmt::format("{:.2f}", value);
    if (std::abs(value) >= 0.001) return fmt::format("{:.3f}", value);
    std::string text = fmt::format("{:.0e}", value);
    const std::size_t e = text.find('e');
    return text.substr(0, e) + "e" + std::to_string(std::stoi(text.substr(e + 1))).replace(0, 1, "−");
}

class MapBox : public Box {
  public:
    MapBox(const HeatMap& map, const MapStyle& style)
        : map_(map),
          style_(style),
          cell_(map.is_table ? cell_units(map) : std::min(cell_units(map), style.max_cell)) {
        const double min_width = map.is_table ? cell_ : 2 * cell_;
        inner_width_ = std::max(static_cast<double>(map.x.names.size()) * cell_, min_width);
        inner_height_ = std::max(static_cast<double>(map.y.names.size()) * cell_, cell_);
        set_x_names();
        set_y_names();
        if (has_bar()) right_ = std::max(right_, bar_gap + bar_width + bar_texts_width());
        set_texts(style.title, style.names_x ? map.x.label : "", style.names_y ? map.y.label : "");
        if (style.has_scale_text) {
            const double more = width_units(scale_text()) - inner_width_;
            reserve(more / 2, more / 2);
            top_ += line_height;
        }
    }

    void draw(Scene& scene, double x, double y) const override {
        const double x0 = x + left_, y0 = y + top_;
        if (map_.values.empty())
            scene.marks.push_back(TextMark{x0 + 4, y0 + inner_height_ / 2 + baseline_offset, "empty"});
        else draw_cells(scene, x0, y0);
        draw_frame(scene, x0, y0, inner_width_, inner_height_);
        draw_texts(scene, x, y);
        if (style_.has_scale_text)
            scene.marks.push_back(TextMark{x0 + inner_width_ / 2, y0 - 7, scale_text(), Anchor::middle, false,
                                           false, quiet_ink});
        if (style_.names_x) draw_x_ticks(scene, x0, y0 + inner_height_);
        if (style_.names_y)
            for (const NameTick& tick : y_ticks_)
                draw_y_tick(scene, x0, y0 + (static_cast<double>(tick.at) + 0.5) * cell_, tick.text,
                            tick.is_wrong ? wrong_color : ink);
        if (has_bar()) draw_bar(scene, x0 + inner_width_ + bar_gap, y0);
    }

  private:
    bool has_bar() const { return map_.has_bar && !style_.has_scale_text; }
    std::string scale_text() const {
        return fmt::format("{} to {}", short_number(map_.low), short_number(map_.high));
    }

    // Names side by side where they fit, else rotated, else every n-th. The margins have space for the
    // overhang of the outer names even where names are omitted, so that frames align.
    void set_x_names() {
        x_ticks_ = name_ticks(map_.x);
        if (style_.turns_names || !fit_side_by_side(x_ticks_, cell_)) {
            is_upright_ = map_.x.tick_every == 1;
            x_ticks_ =
                thinned(x_ticks_, cell_, is_upright_ ? line_height - 2 : widest(x_ticks_) + 2 * word_gap);
        }
        if (!is_upright_ && !x_ticks_.empty())
            reserve((x_ticks_.front().width - cell_) / 2, (x_ticks_.back().width - cell_) / 2);
        if (!style_.names_x) return;
        x_label_at_ = tick_length + (is_upright_ ? widest(x_ticks_) + 4 : line_height - 2) + 14;
        bottom_ = map_.x.label.empty() ? x_label_at_ - 12 : x_label_at_ + 4;
    }
    void set_y_names() {
        if (!style_.names_y) return;
        y_ticks_ = thinned(name_ticks(map_.y), cell_, line_height - 2);
        y_label_at_ = widest(y_ticks_) + tick_length + 13;
        left_ = std::max(left_, map_.y.label.empty() ? y_label_at_ - 10 : y_label_at_ + 12);
    }
    double bar_text_width() const {
        double widest_tick = 0;
        for (const Scale::Tick& tick : bar_ticks(map_, inner_height_))
            widest_tick = std::max(widest_tick, width_units(tick.text));
        return widest_tick;
    }
    // Of its numbers, and of what they are, which stands upwards beside them.
    double bar_texts_width() const {
        return tick_length + 3 + bar_text_width() + (map_.are_weights ? line_height : 0);
    }
    CellsMark cells(double x, double y) const {
        CellsMark mark{x, y, cell_, &map_, map_.x.names.size(), {}};
        for (std::size_t row = 0; row < map_.y.names.size(); ++row)
            for (std::size_t column = 0; column < mark.columns; ++column)
                mark.colors.push_back(map_.color(row, column));
        return mark;
    }
    void draw_cells(Scene& scene, double x, double y) const {
        scene.marks.push_back(cells(x, y));
        if (map_.hidden_cells() > 0) draw_hatches(scene, x, y);
        const std::size_t side = std::max(map_.x.names.size(), map_.y.names.size());
        if (map_.are_weights && side <= max_numbered && cell_ >= width_of_number) draw_numbers(scene, x, y);
    }
    // From the lower left to the upper right corner of each hidden cell; one line where they continue.
    void draw_hatches(Scene& scene, double x, double y) const {
        const std::size_t rows = map_.y.names.size(), columns = map_.x.names.size();
        for (std::size_t diagonal = 0; diagonal + 1 < rows + columns; ++diagonal) {
            std::size_t row = std::min(diagonal, rows - 1), length = 0;
            for (;; --row) {
                const std::size_t column = diagonal - row;
                const bool hatches = column < columns && map_.is_hidden(row, column);
                if (hatches) ++length;
                const bool ends = !hatches || row == 0;
                if (ends && length > 0) {
                    // Its last cell is this one, or the one before.
                    const double top = static_cast<double>(hatches ? row : row + 1);
                    const double right = static_cast<double>(hatches ? column : column - 1) + 1;
                    const double n = static_cast<double>(length);
                    scene.marks.push_back(LineMark{x + (right - n) * cell_, y + (top + n) * cell_,
                                                   x + right * cell_, y + top * cell_, hatch_color});
                    length = 0;
                }
                if (row == 0) break;
            }
        }
    }
    void draw_numbers(Scene& scene, double x, double y) const {
        for (std::size_t row = 0; row < map_.y.names.size(); ++row)
            for (std::size_t column = 0; column < map_.x.names.size(); ++column) {
                const auto value = static_cast<double>(map_.at(row, column));
                if (map_.is_hidden(row, column) || !std::isfinite(value)) continue;
                TextMark number{x + (static_cast<double>(column) + 0.5) * cell_,
                                y + (static_cast<double>(row) + 0.5) * cell_ + baseline_offset,
                                weight_text(value), Anchor::middle};
                if (number.text.size() > 4) number.size = 0.75;
                number.color = text_on(map_.color(row, column));
                scene.marks.push_back(number);
            }
    }
    void draw_x_ticks(Scene& scene, double x0, double y) const {
        for (const NameTick& tick : x_ticks_) {
            const double x = x0 + (static_cast<double>(tick.at) + 0.5) * cell_;
            scene.marks.push_back(LineMark{x, y, x, y + tick_length, pale_ink});
            if (is_upright_)
                scene.marks.push_back(
                    TextMark{x + baseline_offset, y + tick_length + 3, tick.text, Anchor::end, false, true});
            else scene.marks.push_back(TextMark{x, y + tick_length + 12, tick.text, Anchor::middle});
        }
    }
    void draw_bar(Scene& scene, double x, double y) const {
        draw_palette(scene, map_.palette, x, y, bar_width, inner_height_);
        draw_frame(scene, x, y, bar_width, inner_height_);
        for (const Scale::Tick& tick : bar_ticks(map_, inner_height_)) {
            const double at = y + (1 - position_of(tick.value, map_.low, map_.high)) * inner_height_;
            const double right = x + bar_width;
            scene.marks.push_back(LineMark{right, at, right + tick_length, at, pale_ink});
            scene.marks.push_back(TextMark{right + tick_length + 3, at + baseline_offset, tick.text});
        }
        if (map_.are_weights)
            scene.marks.push_back(TextMark{x + bar_width + bar_texts_width(), y + inner_height_ / 2, "weight",
                                           Anchor::middle, false, true});
    }

    const HeatMap& map_;
    MapStyle style_;
    double cell_;
    std::vector<NameTick> x_ticks_, y_ticks_;
    bool is_upright_ = false;
};

}  // namespace

bool names_fit(const HeatMap& map, double max_cell) {
    const double cell = map.is_table ? cell_units(map) : std::min(cell_units(map), max_cell);
    return map.x.tick_every > 1 || fit_side_by_side(name_ticks(map.x), cell);
}

std::unique_ptr<Box> map_box(const HeatMap& map, const MapStyle& style) {
    return std::make_unique<MapBox>(map, style);
}

void draw_palette(Scene& scene, Palette palette, double x, double y, double width, double height) {
    const bool rises = height > width;
    const int strips = static_cast<int>(std::clamp(std::max(width, height) / 2, 1.0, 128.0));
    for (int i = 0; i < strips; ++i) {
        const double from = static_cast<double>(i) / strips, share = 1.0 / strips;
        const Color color = color_at(palette, from + share / 2);
        if (rises)
            scene.marks.push_back(RectMark{x, y + (1 - from - share) * height, width, share * height, color});
        else scene.marks.push_back(RectMark{x + from * width, y, share * width, height, color});
    }
}

}  // namespace glassbox::tracer
