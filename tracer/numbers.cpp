#include "numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tracer {
namespace {

constexpr double fill_like = 1e8;  // from here on NumPy would print everything in scientific notation

std::string strip_zeros(std::string text) {
    while (text.back() == '0') text.pop_back();
    return text;
}

// "0.70056266", "1.": shortest digits that read back, cut at `precision`.
std::string fixed(real value, int precision) {
    char buffer[512];
    auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr;
    std::string text(buffer, end);
    const std::size_t point = text.find('.');
    if (point == std::string::npos) return text + ".";
    if (text.size() - point - 1 > static_cast<std::size_t>(precision)) {
        end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, precision).ptr;
        text.assign(buffer, end);
        if (precision == 0) text += ".";
    }
    return strip_zeros(text);
}

// "1.5e-07": mantissa digits after the point: shortest, at most `precision`.
std::string scientific(real value, int precision) {
    char buffer[512];
    auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
    std::string text(buffer, end);
    const std::size_t point = text.find('.'), exponent = text.find('e');
    if (point != std::string::npos && exponent - point - 1 > static_cast<std::size_t>(precision)) {
        end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, precision)
                  .ptr;
        text.assign(buffer, end);
    }
    return text;
}

std::string special(real value) { return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"; }

bool is_plain(real value) { return std::isfinite(value) && std::abs(value) < fill_like; }

// How the numbers of one array are written, so that they stand under one another.
struct Columns {
    bool scientific = false;
    std::size_t before = 0, after = 0;  // characters left of the point and right of it
    int digits = 0;                     // mantissa digits in scientific notation
    std::size_t width = 0;
};

std::string mantissa_padded(std::string text, int digits) {
    const std::size_t exponent = text.find('e'), point = text.find('.');
    int have = point == std::string::npos ? 0 : static_cast<int>(exponent - point - 1);
    std::string head = text.substr(0, exponent);
    if (point == std::string::npos) head += ".";
    for (; have < digits; ++have) head += '0';
    return head + text.substr(exponent);
}

Columns columns_for(const std::vector<real>& values, int precision) {
    Columns c;
    double most = 0, least = INFINITY;
    for (real value : values)
        if (is_plain(value) && value != 0) {
            most = std::max<double>(most, std::abs(value));
            least = std::min<double>(least, std::abs(value));
        }
    c.scientific = most > 0 && (least < 1e-4 || most / least > 1000);
    for (real value : values) {
        if (!is_plain(value)) continue;
        if (c.scientific) {
            const std::string text = tracer::scientific(value, precision);
            const std::size_t point = text.find('.');
            if (point != std::string::npos)
                c.digits = std::max(c.digits, static_cast<int>(text.find('e') - point - 1));
        } else {
            const std::string text = fixed(value, precision);
            const std::size_t point = text.find('.');
            c.before = std::max(c.before, point);
            c.after = std::max(c.after, text.size() - point - 1);
        }
    }
    c.width = c.before + 1 + c.after;
    for (real value : values) {
        if (!std::isfinite(value)) c.width = std::max(c.width, special(value).size());
        else if (!is_plain(value)) c.width = std::max(c.width, fmt::format("{:g}", value).size());
        else if (c.scientific)
            c.width =
                std::max(c.width, mantissa_padded(tracer::scientific(value, precision), c.digits).size());
    }
    return c;
}

std::string cell(real value, const Columns& c, int precision) {
    std::string text;
    if (!std::isfinite(value)) text = special(value);
    else if (!is_plain(value)) text = fmt::format("{:g}", value);
    else if (c.scientific) text = mantissa_padded(scientific(value, precision), c.digits);
    else {
        text = fixed(value, precision);
        text += std::string(c.after - (text.size() - text.find('.') - 1), ' ');
    }
    return std::string(c.width > text.size() ? c.width - text.size() : 0, ' ') + text;
}

// Background colours of a terminal with 256: blue for the smallest, through dark grey, to red for the
// largest.
std::string heated(const std::string& text, real value, double low, double high) {
    static constexpr int ramp[] = {17, 18, 24, 30, 236, 94, 130, 166, 160};
    if (!is_plain(value)) return fmt::format("\x1b[2m{}\x1b[0m", text);
    const double at = high > low ? (static_cast<double>(value) - low) / (high - low) : 0.5;
    const int color = ramp[std::clamp(static_cast<int>(at * 9), 0, 8)];
    return fmt::format("\x1b[48;5;{}m\x1b[38;5;255m{}\x1b[0m", color, text);
}

class Writer {
  public:
    Writer(const glassbox::Tensor& x, const NumberStyle& style, std::string indent)
        : x_(x),
          style_(style),
          indent_(std::move(indent)),
          values_(x.values()),
          summarised_(x.numel() > style.threshold) {
        collect(0, 0);
        columns_ = columns_for(shown_, style.precision);
        low_ = INFINITY, high_ = -INFINITY;
        for (real value : shown_)
            if (is_plain(value)) {
                low_ = std::min<double>(low_, value);
                high_ = std::max<double>(high_, value);
            }
    }

    std::string text() {
        if (x_.rank() == 0) return indent_ + cell_at(0);
        if (x_.numel() == 0) return indent_ + fmt::format("[]  (no elements, shape {})", x_.shape().str());
        axis(0, 0, indent_ + "[");
        return out_;
    }

  private:
    // The positions of an axis that are shown; −1 stands for "...".
    std::vector<index_t> positions(int axis) const {
        std::vector<index_t> result;
        const index_t n = x_.size(axis);
        const bool cut = summarised_ && n > 2 * style_.edge;
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
    void collect(int axis, index_t at) {
        if (axis == x_.rank()) {
            if (x_.numel()) shown_.push_back(values_[static_cast<std::size_t>(at)]);
            return;
        }
        for (index_t i : positions(axis))
            if (i >= 0) collect(axis + 1, at + i * stride(axis));
    }
    std::string cell_at(index_t at) const {
        const real value = values_[static_cast<std::size_t>(at)];
        const std::string text = cell(value, columns_, style_.precision);
        return style_.heat ? heated(text, value, low_, high_) : text;
    }
    void row(index_t at, const std::string& opening) {
        const std::string hang(opening.size(), ' ');
        std::size_t used = opening.size();
        out_ += opening;
        bool first = true;
        for (index_t i : positions(x_.rank() - 1)) {
            const std::size_t width = i < 0 ? 3 : columns_.width;
            if (!first && used + 1 + width > static_cast<std::size_t>(style_.width)) {
                out_ += "\n" + hang;
                used = hang.size();
            } else if (!first) {
                out_ += ' ';
                ++used;
            }
            out_ += i < 0 ? "..." : cell_at(at + i);
            used += width;
            first = false;
        }
        out_ += "]";
    }
    void axis(int axis_index, index_t at, const std::string& opening) {
        if (axis_index == x_.rank() - 1) return row(at, opening);
        const std::string hang(opening.size(), ' ');
        bool first = true;
        for (index_t i : positions(axis_index)) {
            if (!first) out_ += std::string(static_cast<std::size_t>(x_.rank() - 1 - axis_index), '\n');
            if (i < 0) out_ += hang + "...";
            else axis(axis_index + 1, at + i * stride(axis_index), (first ? opening : hang) + "[");
            first = false;
        }
        out_ += "]";
    }

    const glassbox::Tensor& x_;
    NumberStyle style_;
    std::string indent_;
    std::vector<real> values_, shown_;
    bool summarised_;
    Columns columns_;
    double low_, high_;
    std::string out_;
};

}  // namespace

std::string number(real value, int precision) {
    if (!std::isfinite(value)) return special(value);
    if (value != 0 && (std::abs(value) < 1e-4 || std::abs(value) >= fill_like))
        return scientific(value, precision);
    return fixed(value, precision);
}

std::string operand(real value, int precision) {
    const std::string text = number(value, precision);
    return text[0] == '-' ? "(" + text + ")" : text;
}

std::string array(const glassbox::Tensor& x, const NumberStyle& style, const std::string& indent) {
    return Writer(x, style, indent).text();
}

}  // namespace tracer
