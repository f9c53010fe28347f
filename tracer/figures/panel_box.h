#pragma once
#include <algorithm>
#include <memory>
#include <string>

#include <glassbox/io/detail/text.h>

#include "cli/text_width.h"
#include "figures/scene.h"

namespace tracer {

constexpr double line_units = 16;  // one line of text with the space above the next
constexpr double middle = 4;       // from a line's middle down to its baseline
constexpr double tick_units = 4;   // a tick's length
constexpr Color grid_color{225, 225, 225};

// About as wide as a text is in the wider of the usual fonts without serifs: whoever draws it measures it.
double width_units(const std::string& text, bool is_bold = false);
constexpr double word_gap = 3.5;  // at least, between two texts beside each other

// One panel, its measures taken before it is drawn. `left` and the others are the room that its words take.
class Box {
  public:
    virtual ~Box() = default;
    virtual void draw(Scene& scene, double x, double y) const = 0;
    // A line plot may be drawn wider than it asks for.
    virtual bool stretches() const { return false; }
    virtual void stretch(double) {}

    double left() const { return left_; }
    double right() const { return right_; }
    double width() const { return left_ + inner_width_ + right_; }
    double height() const { return top_ + inner_height_ + bottom_; }
    // Room beside its frame, at least so much, so that frames stand below each other.
    void make_room(double left, double right) {
        left_ = std::max(left_, left);
        right_ = std::max(right_, right);
    }

  protected:
    // What is longer than its side of the frame gets room beside it.
    void take_words(const std::string& title, const std::string& x_label, const std::string& y_label) {
        title_ = shortened(glassbox::printable(title), 60);
        x_label_ = x_label;
        y_label_ = y_label;
        top_ = title_.empty() ? 0 : line_units + 5;
        const double more = std::max(width_units(title_, true), width_units(x_label_)) - inner_width_;
        left_ = std::max(left_, more / 2);
        right_ = std::max(right_, more / 2);
        bottom_ = std::max(bottom_, width_units(y_label_) - inner_height_);
    }
    void draw_words(Scene& scene, double x, double y) const {
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
    static void draw_y_tick(Scene& scene, double x, double y, const std::string& text) {
        scene.marks.push_back(LineMark{x - tick_units, y, x, y, pale_ink});
        scene.marks.push_back(TextMark{x - tick_units - 3, y + middle, text, Anchor::end});
    }

    std::string title_, x_label_, y_label_;
    double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;
    double inner_width_ = 0, inner_height_ = 0;
    double x_label_at_ = 0, y_label_at_ = 0;  // how far below the frame, and left of it, their baselines are
};

}  // namespace tracer
