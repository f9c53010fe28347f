#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "cli/output.h"
#include "cli/text_width.h"
#include "figures/chart.h"
#include "figures/terminal_color.h"

namespace tracer {

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

int block_width(const Block& block);
std::string right_aligned(const std::string& text, int width);

}  // namespace tracer
