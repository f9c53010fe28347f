#include <glassbox/tensor/print.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ostream>

namespace glassbox {

bool is_hidden_score(real value) { return std::isfinite(value) && value <= real(-1e14); }

namespace {

// -9e+15 in a column of scores: a hidden score is shown in few characters, but never in fewer digits than it
// has.
bool is_shown_short(real value) {
    return is_hidden_score(value) &&
           static_cast<real>(std::strtod(fmt::format("{:g}", value).c_str(), nullptr)) == value;
}

// The common format of one array's numbers, so that its columns line up.
struct Columns {
    bool scientific = false, integers = false;
    std::size_t before = 0, after = 0;  // characters before and after the point, without the exponent
    std::size_t exponent = 0;           // digits in the longest exponent
    std::size_t width = 0;
};

// The lengths of the parts of "-1.5e-07".
struct NumberWidths {
    std::size_t before, after, exponent;
};

NumberWidths parts_of(const std::string& text) {
    const std::size_t e = std::min(text.find('e'), text.size()), point = std::min(text.find('.'), e);
    return {point, point == e ? 0 : e - point - 1, e == text.size() ? 0 : text.size() - e - 2};
}

constexpr real too_large = sizeof(real) == 4 ? real(1e6) : real(1e8);  // NumPy 2.4; earlier, 1e8 for both

// NumPy's rule: scientific when the largest is too large, the smallest below 1e-4, or their ratio above 1000.
bool is_scientific(const std::vector<real>& regular) {
    real largest = 0, smallest = INFINITY;
    for (const real value : regular)
        if (value != 0) {
            largest = std::max(largest, std::abs(value));
            smallest = std::min(smallest, std::abs(value));
        }
    return largest > 0 && (largest >= too_large || smallest < real(1e-4) || largest / smallest > 1000);
}

// Drops the sign of a printed zero ("-0.", "-0.e+00") unless the style keeps it.
std::string with_sign(std::string text, const PrintStyle& style) {
    if (!style.minus_zero && text[0] == '-' && text.find_first_of("123456789") == std::string::npos)
        text.erase(0, 1);
    return text;
}

constexpr real max_exact_integer = 1 << 24;  // a float represents every integer up to here

bool are_integers(const std::vector<real>& values) {
    return std::all_of(values.begin(), values.end(), [](real value) {
        return std::abs(value) <= max_exact_integer && value == std::round(value);
    });
}

Columns integer_columns(const std::vector<real>& values) {
    Columns columns;
    columns.integers = true;
    for (const real value : values)
        columns.width = std::max(columns.width, fmt::format("{:.0f}", value).size());
    return columns;
}

Columns columns_for(const std::vector<real>& values, const PrintStyle& style) {
    std::vector<real> regular;
    std::size_t widest = 0;  // among the irregular ones
    for (const real value : values) {
        if (!std::isfinite(value)) widest = std::max(widest, not_finite(value).size());
        else if (is_shown_short(value)) widest = std::max(widest, fmt::format("{:g}", value).size());
        else regular.push_back(value);
    }
    Columns columns;
    columns.scientific = is_scientific(regular);
    for (const real value : regular) {
        const NumberWidths parts = parts_of(with_sign(
            columns.scientific ? scientific(value, style.precision) : positional(value, style.precision),
            style));
        columns.before = std::max(columns.before, parts.before);
        columns.after = std::max(columns.after, parts.after);
        columns.exponent = std::max(columns.exponent, parts.exponent);
    }
    const std::size_t tail = columns.exponent ? columns.exponent + 2 : 0;
    columns.width = std::max(widest, regular.empty() ? 0 : columns.before + 1 + columns.after + tail);
    return columns;
}

// "1e+5" with 2 digits after the point and 2 in the exponent: "1.00e+05".
std::string padded_scientific(real value, const Columns& columns) {
    const int after = static_cast<int>(columns.after);
    const std::string text = scientific(value, after, after);
    const std::size_t e = text.find('e'), exponent = parts_of(text).exponent;
    return text.substr(0, e) + (after == 0 ? "." : "") + text.substr(e, 2) +
           std::string(columns.exponent - exponent, '0') + text.substr(e + 2);
}

std::string cell(real value, const Columns& columns, const PrintStyle& style) {
    std::string text;
    if (columns.integers) {
        text = fmt::format("{:.0f}", value);
    } else if (!std::isfinite(value)) {
        text = not_finite(value);
    } else if (is_shown_short(value)) {
        text = fmt::format("{:g}", value);
    } else if (columns.scientific) {
        text = with_sign(padded_scientific(value, columns), style);
    } else {
        text = with_sign(positional(value, style.precision), style);
        text += std::string(columns.after - parts_of(text).after, ' ');
    }
    return std::string(columns.width - text.size(), ' ') + text;
}

class TensorPrinter {
  public:
    TensorPrinter(const Tensor& x, const PrintStyle& style, std::string indent)
        : x_(x),
          style_(style),
          indent_(std::move(indent)),
          values_(x.values()),
          is_summarised_(x.numel() > style.threshold) {
        std::vector<real> shown;
        collect(0, 0, shown);
        columns_ = style.whole && are_integers(shown) ? integer_columns(shown) : columns_for(shown, style);
    }

    std::string text() {
        if (x_.rank() == 0) return indent_ + cell_at(0);
        if (x_.numel() == 0) return indent_ + fmt::format("[]  (no elements, shape {})", x_.shape().str());
        axis(0, 0, indent_ + '[');
        return out_;
    }

  private:
    // The positions of an axis that are shown; −1 means "...".
    std::vector<index_t> positions(int axis) const {
        std::vector<index_t> result;
        const index_t n = x_.size(axis);
        const bool cut = is_summarised_ && n > 2 * style_.edge;
        for (index_t i = 0; i < n; ++i) {
            if (cut && i == style_.edge) {
                result.push_back(-1);
                i = n - style_.edge;
            }
            result.push_back(i);
        }
        return result;
    }
    index_t stride(int axis) const {
        index_t step = 1;
        for (int a = axis + 1; a < x_.rank(); ++a) step *= x_.size(a);
        return step;
    }
    void collect(int axis, index_t at, std::vector<real>& shown) const {
        if (x_.numel() == 0) return;
        if (axis == x_.rank()) {
            shown.push_back(values_[static_cast<std::size_t>(at)]);
            return;
        }
        for (const index_t i : positions(axis))
            if (i >= 0) collect(axis + 1, at + i * stride(axis), shown);
    }
    std::string cell_at(index_t at) const {
        const real value = values_[static_cast<std::size_t>(at)];
        const std::string text = cell(value, columns_, style_);
        return style_.decorate ? style_.decorate(text, value) : text;
    }
    // One row, wrapped; every line leaves space for the closing brackets of all axes.
    void row(index_t at, const std::string& opening) {
        const std::size_t hang = opening.size(), rank = static_cast<std::size_t>(x_.rank());
        const std::size_t max_width = indent_.size() + static_cast<std::size_t>(style_.width) - rank;
        std::size_t used = hang;
        out_ += opening;
        bool first = true;
        for (const index_t i : positions(x_.rank() - 1)) {
            const std::string word = i < 0 ? "..." : cell_at(at + i);
            const std::size_t width = i < 0 ? 3 : columns_.width;
            if (!first && used + 1 + width > max_width) {
                out_.erase(out_.find_last_not_of(' ') + 1);
                out_ += '\n' + std::string(hang, ' ');
                used = hang;
            } else if (!first) {
                out_ += ' ';
                ++used;
            }
            out_ += word;
            used += width;
            first = false;
        }
        out_ += ']';
    }
    void axis(int index, index_t at, const std::string& opening) {
        if (index == x_.rank() - 1) return row(at, opening);
        const std::string hang(opening.size(), ' ');
        bool first = true;
        for (const index_t i : positions(index)) {
            if (!first) out_ += std::string(static_cast<std::size_t>(x_.rank() - 1 - index), '\n');
            if (i < 0) out_ += hang + "...";
            else axis(index + 1, at + i * stride(index), (first ? opening : hang) + '[');
            first = false;
        }
        out_ += ']';
    }

    const Tensor& x_;
    PrintStyle style_;
    std::string indent_;
    std::vector<real> values_;
    bool is_summarised_;
    Columns columns_;
    std::string out_;
};

}  // namespace

std::string to_text(const Tensor& x, const PrintStyle& style, const std::string& indent) {
    if (!x.defined()) return indent + "(an undefined tensor)";
    return TensorPrinter(x, style, indent).text();
}

void throw_not_a_tensor_format() {
    throw fmt::format_error("a tensor's format is {}, or {:.3} for 3 digits after the point");
}

std::ostream& operator<<(std::ostream& out, const Tensor& x) { return out << to_text(x); }

}  // namespace glassbox

fmt::format_context::iterator fmt::formatter<glassbox::Tensor>::format(const glassbox::Tensor& x,
                                                                       format_context& context) const {
    glassbox::PrintStyle style;
    if (precision_ >= 0) style.precision = precision_;
    return fmt::format_to(context.out(), "{}", glassbox::to_text(x, style));
}
