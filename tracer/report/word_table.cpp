#include "report/text_report.h"

#include <fmt/format.h>

#include <algorithm>

#include <glassbox/io/text.h>

#include "cli/text_width.h"

namespace glassbox::tracer {
namespace {

struct Column {
    std::string position, word, number;

    int width() const { return std::max({width_of(position), width_of(word), width_of(number)}); }
};

std::string right_aligned(const std::string& text, int width) {
    return std::string(static_cast<std::size_t>(std::max(0, width - width_of(text))), ' ') + text;
}

// Some columns, one below the other: positions, words, numbers.
std::string lines_of(const Column* begin, const Column* end, bool positions, const std::string& indent) {
    std::string lines[3];
    for (const Column* column = begin; column != end; ++column) {
        const std::string gap = column == begin ? indent : "  ";
        const int width = column->width();
        lines[0] += gap + right_aligned(column->position, width);
        lines[1] += gap + right_aligned(column->word, width);
        lines[2] += gap + right_aligned(column->number, width);
    }
    return (positions ? lines[0] + "\n" : "") + lines[1] + "\n" + lines[2] + "\n";
}

std::string row_text(const std::vector<Column>& row, bool positions, int width, const std::string& indent) {
    std::string text;
    for (std::size_t begin = 0; begin < row.size();) {
        std::size_t end = begin;
        for (int used = static_cast<int>(indent.size()) - 2; end < row.size(); ++end) {
            used += row[end].width() + 2;
            if (used > width && end > begin) break;
        }
        if (begin > 0) text += "\n";
        text += lines_of(row.data() + begin, row.data() + end, positions, indent);
        begin = end;
    }
    return text;
}

}  // namespace

std::string word_table(const std::vector<std::string>& words, const Tensor& x, bool positions, int width,
                       const std::string& indent) {
    constexpr std::size_t max_cells = 60;  // cells
    const std::vector<real> numbers = x.values();
    const auto columns = static_cast<std::size_t>(std::max<index_t>(1, x.size(-1)));
    const std::size_t rows_shown = std::max<std::size_t>(1, max_cells / columns);
    std::string text;
    std::size_t shown = 0;
    for (std::size_t begin = 0; begin < numbers.size() && begin / columns < rows_shown; begin += columns) {
        std::vector<Column> row;
        for (std::size_t i = begin; i < begin + std::min(columns, max_cells); ++i)
            row.push_back({positions ? std::to_string(i - begin) : "", printable(words[i], 60),
                           fmt::format("{:.0f}", static_cast<double>(numbers[i]))});
        shown += row.size();
        text += row_text(row, positions, width > 0 ? width : 100, indent);
    }
    if (shown < numbers.size()) text += fmt::format("{}… and {} more\n", indent, numbers.size() - shown);
    return text;
}

}  // namespace glassbox::tracer
