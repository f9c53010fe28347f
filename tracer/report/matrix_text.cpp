#include "report/matrix_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <glassbox/io/text.h>

#include "cli/output.h"
#include "cli/text_width.h"
#include "figures/palette.h"
#include "report/drawing/layout.h"
#include "report/number_columns.h"

namespace glassbox::tracer {
namespace {

constexpr index_t max_complete = 1000, edge = 3;  // longer arrays are summarised, as by NumPy
constexpr index_t left_out = -1;

std::string spaces(int n) { return std::string(static_cast<std::size_t>(std::max(0, n)), ' '); }

std::vector<std::string> names_along(const Report::Axis& axis) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < axis.words.size(); ++i) names.push_back(drawing::name_at(axis, i));
    if (axis.answers.empty()) return names;
    int width = 0;  // arrows below each other
    for (const std::string& name : names) width = std::max(width, width_of(name));
    for (std::string& name : names) name.insert(0, spaces(width - width_of(name)));
    return names;
}

int widest(const std::vector<std::string>& words) {
    int width = 0;
    for (const std::string& word : words) width = std::max(width, width_of(word));
    return width;
}

class MatrixPrinter {
  public:
    MatrixPrinter(const Report::Step& step, const Tensor& x, Report::Kind kind, const MatrixStyle& style)
        : axes_(step.axes.size() == static_cast<std::size_t>(x.rank()) ? step.axes
                                                                       : std::vector<Report::Axis>()),
          kind_(kind),
          shape_(x.shape()),
          values_(x.values()),
          style_(style) {
        if (kind_ == Report::Kind::weight && step.seen.defined()) seen_ = step.seen.values();
        if (!axes_.empty()) {
            if (x.rank() > 1) row_words_ = names_along(axes_.end()[-2]);
            column_words_ = names_along(axes_.back());
        }
    }

    std::string text() {
        const int rank = shape_.rank();
        choose_digits();
        if (rank == 0) return style_.indent + decorated(columns_.text(values_[0]), values_[0]) + "\n";
        if (values_.empty()) return fmt::format("{}[]  (no elements)\n", style_.indent);
        std::vector<index_t> place;
        matrices(0, place);
        return style_.is_beside && lines_ == 1 ? in_rows(blocks_) : fmt::format("{}", fmt::join(blocks_, ""));
    }

  private:
    bool is_table() const { return !row_words_.empty() || !column_words_.empty(); }

    std::vector<index_t> positions(int axis) const {
        std::vector<index_t> all;
        const index_t n = shape_[axis];
        const bool is_cut = static_cast<index_t>(values_.size()) > max_complete && n > 2 * edge;
        for (index_t i = 0; i < n; ++i) {
            if (is_cut && i == edge) all.push_back(left_out), i = n - edge;
            all.push_back(i);
        }
        return all;
    }

    void collect(int axis, index_t at, std::vector<real>& shown) const {
        if (axis == shape_.rank()) return shown.push_back(values_[static_cast<std::size_t>(at)]);
        for (const index_t i : positions(axis))
            if (i != left_out) collect(axis + 1, at * shape_[axis] + i, shown);
    }

    // Of all matrices together, so that they can be compared.
    void choose_digits() {
        const int columns = shape_.rank() > 0 ? static_cast<int>(positions(-1).size()) : 1;
        std::vector<real> shown;
        if (!values_.empty()) collect(0, 0, shown);
        columns_ = NumberColumns(shown, kind_, style_.digits);
        layout(columns);
        if (!style_.shrinks) return;
        const int fewest = columns_.fewest_digits();
        for (int digits = style_.digits - 1; digits >= fewest && lines_ > 1; --digits) {
            const NumberColumns before = columns_;
            const int lines = lines_, cell = cell_, per_line = per_line_;
            columns_ = NumberColumns(shown, kind_, digits);
            layout(columns);
            if (lines_ == lines) columns_ = before, cell_ = cell, per_line_ = per_line;
        }
        if (kind_ == Report::Kind::weight && lines_ > 1) close_columns(columns, shown, fewest);
        number_columns(columns);
    }
    // Weights with a row on one line, where closer columns and then .68 for 0.68 make that.
    void close_columns(int columns, const std::vector<real>& shown, int digits) {
        const NumberColumns before = columns_;
        is_close_ = true;
        for (const bool is_short : {false, true}) {
            columns_ = NumberColumns(shown, kind_, digits, is_short);
            layout(columns);
            if (lines_ == 1) return;
        }
        is_close_ = false, columns_ = before;
        layout(columns);
    }
    // A row of several lines on a terminal: blocks of columns under their numbers.
    void number_columns(int columns) {
        const bool has_many =
            shape_.rank() > 1 && lines_ > 1 && std::max(shape_[-1], shape_[-2]) <= max_complete;
        if (!has_many || !column_words_.empty()) return;
        column_words_ = names_or_numbers({}, shape_[-1]);
        if (row_words_.empty()) row_words_ = names_or_numbers({}, shape_[-2]);
        layout(columns);
    }
    // The columns of a row in as few lines as possible, about as many on each.
    void layout(int columns) {
        cell_ = std::max({columns_.width(), widest(column_words_), columns > 2 * edge ? 3 : 0});
        const int label = row_words_.empty() ? 0 : widest(row_words_) + 2;
        const int brackets = is_table() ? 0 : 2 * std::min(2, shape_.rank());
        const int available = style_.width - width_of(style_.indent) - label - brackets + gap();
        const int fit = std::max(1, available / (cell_ + gap()));
        lines_ = (std::max(1, columns) + fit - 1) / fit;
        per_line_ = (std::max(1, columns) + lines_ - 1) / lines_;
    }
    int gap() const { return is_table() && !is_close_ ? 2 : 1; }

    void matrices(int axis, std::vector<index_t>& place) {
        if (axis >= shape_.rank() - 2) {
            matrix(place);
            return blocks_.push_back(std::exchange(out_, ""));
        }
        for (const index_t i : positions(axis)) {
            if (i == left_out) {
                blocks_.push_back(style_.indent + "...\n");
                continue;
            }
            place.push_back(i);
            matrices(axis + 1, place);
            place.pop_back();
        }
    }
    // Side by side, as many as the width holds.
    std::string in_rows(const std::vector<std::string>& blocks) const {
        int widest = 1;
        for (const std::string& block : blocks) widest = std::max(widest, widest_line(block));
        const auto fit = static_cast<std::size_t>(std::max(1, style_.width / widest));
        std::string text;
        for (std::size_t i = 0; i < blocks.size(); i += fit) {
            const auto begin = blocks.begin() + static_cast<std::ptrdiff_t>(i);
            const auto count = static_cast<std::ptrdiff_t>(std::min(fit, blocks.size() - i));
            text += beside({begin, begin + count}, widest);
        }
        return text;
    }
    // "batch 1, head 0"; [1,0] where nothing is known about these axes.
    std::string heading(const std::vector<index_t>& place) const {
        std::vector<std::string> names;
        for (std::size_t axis = 0; axis < place.size(); ++axis)
            if (shape_[static_cast<int>(axis)] > 1) {
                if (axes_.empty() || axes_[axis].name.empty())
                    return fmt::format("[{}]", fmt::join(place, ","));
                names.push_back(fmt::format("{} {}", axes_[axis].name, place[axis]));
            }
        return fmt::format("{}", fmt::join(names, ", "));
    }
    void matrix(const std::vector<index_t>& place) {
        if (const std::string name = heading(place); !name.empty())
            out_ += style_.indent + styled(name, bold, style_.color) + "\n";
        index_t first = 0;
        for (std::size_t axis = 0; axis < place.size(); ++axis)
            first = first * shape_[static_cast<int>(axis)] + place[axis];
        for (int axis = static_cast<int>(place.size()); axis < shape_.rank(); ++axis) first *= shape_[axis];
        if (is_table()) table(first);
        else brackets(first);
    }

    // Blocks of columns below each other where they do not fit, each under its words.
    void table(index_t first) {
        const std::vector<index_t> columns = positions(-1);
        for (std::size_t begin = 0; begin < columns.size(); begin += static_cast<std::size_t>(per_line_)) {
            const std::size_t end = std::min(columns.size(), begin + static_cast<std::size_t>(per_line_));
            if (begin > 0 && !column_words_.empty()) out_ += "\n";
            if (!column_words_.empty()) column_heads(columns, begin, end);
            if (!column_words_.empty() || begin == 0) rows(first, columns, begin, end);
        }
    }
    void column_heads(const std::vector<index_t>& columns, std::size_t begin, std::size_t end) {
        std::string line = style_.indent + spaces(label_width());
        for (std::size_t i = begin; i < end; ++i) {
            const std::string word =
                columns[i] == left_out ? "..." : column_words_[static_cast<std::size_t>(columns[i])];
            line += (i > begin ? spaces(gap()) : "") + spaces(cell_ - width_of(word)) + word;
        }
        out_ += line + "\n";
    }
    int label_width() const { return row_words_.empty() ? 0 : widest(row_words_) + 2; }

    // Without words above the columns a row's lines follow each other.
    void rows(index_t first, const std::vector<index_t>& columns, std::size_t begin, std::size_t end) {
        const index_t n = shape_[-1];
        for (const index_t row : shape_.rank() > 1 ? positions(-2) : std::vector<index_t>{0}) {
            if (row == left_out) {
                out_ += style_.indent + "...\n";
                continue;
            }
            const std::string word = row_words_.empty() ? "" : row_words_[static_cast<std::size_t>(row)];
            out_ += style_.indent + word + spaces(label_width() - width_of(word));
            const std::size_t last = column_words_.empty() ? columns.size() : end;
            numbers(first + row * n, columns, begin, last, style_.indent + spaces(label_width()));
            out_ += "\n";
        }
    }
    void brackets(index_t first) {
        const std::vector<index_t> columns = positions(-1);
        if (shape_.rank() == 1) {
            out_ += style_.indent + "[";
            numbers(first, columns, 0, columns.size(), style_.indent + " ");
            out_ += "]\n";
            return;
        }
        const std::vector<index_t> rows = positions(-2);
        for (const index_t row : rows) {
            out_ += style_.indent + (row == rows.front() ? "[" : " ");
            if (row == left_out) {
                out_ += "...\n";
                continue;
            }
            out_ += "[";
            numbers(first + row * shape_[-1], columns, 0, columns.size(), style_.indent + "  ");
            out_ += row == rows.back() ? "]]\n" : "]\n";
        }
    }
    void numbers(index_t row, const std::vector<index_t>& columns, std::size_t begin, std::size_t end,
                 const std::string& hang) {
        for (std::size_t i = begin; i < end; ++i) {
            const bool breaks = i > begin && (i - begin) % static_cast<std::size_t>(per_line_) == 0;
            out_ += breaks ? "\n" + hang : i > begin ? spaces(gap()) : "";
            out_ += columns[i] == left_out ? spaces(cell_ - 3) + "..." : cell(row + columns[i]);
        }
    }
    std::string cell(index_t at) const {
        const auto i = static_cast<std::size_t>(at);
        const real value = values_[i];
        const std::string before = spaces(cell_ - columns_.width());
        if (!seen_.empty() && seen_[i] == 0 && value == 0) {
            std::string hatch;
            for (int k = 0; k < columns_.width(); ++k) hatch += hidden_mark;
            return before + styled(hatch, dim, style_.color);
        }
        return before + decorated(columns_.text(value), value);
    }
    std::string decorated(const std::string& text, real value) const {
        return style_.decorate ? style_.decorate(text, value) : text;
    }

    std::vector<Report::Axis> axes_;
    Report::Kind kind_;
    Shape shape_;
    std::vector<real> values_, seen_;
    const MatrixStyle& style_;
    std::vector<std::string> row_words_, column_words_;
    NumberColumns columns_{{}, Report::Kind::number, 0};
    int cell_ = 0, lines_ = 1, per_line_ = 1;
    bool is_close_ = false;
    std::string out_;                  // the matrix being written
    std::vector<std::string> blocks_;  // each matrix
};

}  // namespace

std::string matrix_text(const Report::Step& step, const Tensor& x, Report::Kind kind,
                        const MatrixStyle& style) {
    return MatrixPrinter(step, x, kind, style).text();
}

}  // namespace glassbox::tracer
