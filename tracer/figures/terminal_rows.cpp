#include "figures/terminal_rows.h"

namespace tracer {

int block_width(const Block& block) {
    int width = 0;
    for (const Row& row : block) width = std::max(width, row.width());
    return width;
}

std::string right_aligned(const std::string& text, int width) {
    return std::string(static_cast<std::size_t>(std::max(0, width - width_of(text))), ' ') + text;
}

}  // namespace tracer
