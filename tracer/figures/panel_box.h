#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <glassbox/io/text.h>

#include "cli/text_width.h"
#include "figures/scene.h"

namespace glassbox::tracer {

constexpr double line_height = 16;     // a line of text including line spacing
constexpr double baseline_offset = 4;  // from a line's middle down to its baseline
constexpr double tick_length = 4;      // a tick's length
constexpr Color grid_color{225, 225, 225};

// Approximate width of a text in the wider of the common sans-serif fonts; renderers measure the real one.
double width_units(const std::string& text, bool is_bold = false);
constexpr double word_gap = 3.5;  // minimum between two texts side by side

// A panel, measured before it is drawn: a frame with margins (left, right, top, bottom) for its texts.
class Box {
  public:
    virtual ~Box() = default;
    virtual void draw(Scene& scene, double x, double y) const = 0;
    // Line plots may be widened.
    virtual bool stretches() const { return false; }
    virtual void stretch(double) {}

    double left() const { return left_; }
    double right() const { return right_; }
    double width() const { return left_ + inner_width_ + right_; }
    double height() const { return top_ + inner_height_ + bottom_; }
    // Widens the margins to at least these, so that frames align.
    void reserve(double left, double right) {
        left_ = std::max(left_, left);
        right_ = std::max(right_, right);
    }

  protected:
    // Margins grow for texts longer than their side of the frame.
    void set_texts(const std::string& title, const std::string& x_label, const std::string& y_label) {
        title_ = shortened(printable(title), 60);
        x_label_ = x_label;
        y_label_ = y_label;
        top_ = title_.empty() ? 0 : line_height + 5;
        const double more = std::max(width_units(title_, true), width_units(x_label_)) - inner_width_;
        left_ = std::max(left_, more / 2);
        right_ = std::max(right_, more / 2);
        bottom_ = std::max(bottom_, width_units(y_label_) - inner_height_);
    }
    void draw_texts(Scene& scene, double x, double y) const {
        const double center = x + left_ + inner_width_ / 2;
        const double below = y + top_ + inner_height_ + x_label_at_;
        const double half = std::max(inner_height_, width_units(y_label_)) / 2;
        if (!title_.empty()) scene.marks.push_back(TextMark{center, y + 12, title_, Anchor::middle, true});
        if (!x_label_.empty()) scene.marks.push_back(TextMark{center, below, x_label_, Anchor::middle});
        if (!y_label_.empty())
            scene.marks.push_back(
                TextMark{x + left_ - y_label_at_, y + top_ + half, y_label_, Anchor::middle, false, true});
    }
    static void draw_frame(Scene& scene, double x, double y, double width, double height) {
        scene.marks.push_back(LineMark{x, y, x + width, y, pale_ink});
        scene.marks.push_back(LineMark{x, y + height, x + width, y + height, pale_ink});
        scene.marks.push_back(LineMark{x, y, x, y + height, pale_ink});
        scene.marks.push_back(LineMark{x + width, y, x + width, y + height, pale_ink});
    }
    static void draw_y_tick(Scene& scene, double x, double y, const std::string& text, Color color = ink) {
        scene.marks.push_back(LineMark{x - tick_length, y, x, y, pale_ink});
        TextMark mark{x - tick_length - 3, y + baseline_offset, text, Anchor::end};
        mark.color = color;
        scene.marks.push_back(mark);
    }

    std::string title_, x_label_, y_label_;
    double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;
    double inner_width_ = 0, inner_height_ = 0;
    double x_label_at_ = 0, y_label_at_ = 0;  // distances of their baselines below and left of the frame
};

// The width of a map's cells in units where there is room.
double cell_units(const HeatMap& map);

// How a heat map is drawn among others.
struct MapStyle {
    std::string title;
    double max_cell = 40;                 // maximum cell width in units
    bool names_x = true, names_y = true;  // false: a neighbour shows the same names
    bool has_scale_text = false;          // the scale is a line of text above, not a colour bar
    bool turns_names = false;             // of x upwards, as those of another map must be
};
// Whether its names of x fit side by side below its cells.
bool names_fit(const HeatMap& map, double max_cell);
// The map must outlive the box.
std::unique_ptr<Box> map_box(const HeatMap& map, const MapStyle& style);

// A palette from start to end, to the right or upwards.
void draw_palette(Scene& scene, Palette palette, double x, double y, double width, double height);

// The plot must outlive the box.
std::unique_ptr<Box> plot_box(const LinePlot& plot);

// The chart must outlive the box.
std::unique_ptr<Box> chart_box(const Chart& chart);
// Draws the legend in lines of at most `width`; returns its height.
double draw_keys(Scene& scene, const std::vector<ChartKey>& keys, double x, double y, double width);

}  // namespace glassbox::tracer
