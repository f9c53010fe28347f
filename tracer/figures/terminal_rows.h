#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "cli/output.h"
#include "cli/text_width.h"
#include "figures/chart.h"
#include "figures/terminal_color.h"

namespace glassbox::tracer {

// One line of a drawing with its width in columns, not counting colour codes.
class Row {
  public:
    void put(const std::string& text) {
        text_ += text;
        width_ += width_of(text);
    }
    void put(const std::string& text, const char* code, bool color) {
        text_ += text.empty() ? text : styled(text, code, color);
        width_ += width_of(text);
    }
    // `shown` is `text` with colour codes, and has its width.
    void put_as(const std::string& text, const std::string& shown) {
        text_ += shown;
        width_ += width_of(text);
    }
    void fill_to(int width) {
        if (width > width_) put(std::string(static_cast<std::size_t>(width - width_), ' '));
    }
    int width() const { return width_; }
    const std::string& text() const { return text_; }

  private:
    std::string text_;
    int width_ = 0;
};

using Block = std::vector<Row>;

inline int block_width(const Block& block) {
    int width = 0;
    for (const Row& row : block) width = std::max(width, row.width());
    return width;
}

inline std::string right_aligned(const std::string& text, int width) {
    return std::string(static_cast<std::size_t>(std::max(0, width - width_of(text))), ' ') + text;
}

// A chart in braille dots, `width` columns in total, with its y axis after `label` columns.
Block drawn_chart(const Chart& chart, Colors colors, int width, int label);
int chart_label_width(const Chart& chart);
// The legend, in lines of at most `width` columns.
Block drawn_keys(const std::vector<ChartKey>& keys, Colors colors, int width);

}  // namespace glassbox::tracer
