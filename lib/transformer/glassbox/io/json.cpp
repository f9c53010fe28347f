#include <glassbox/io/json.h>

#include <cmath>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

void append_number(std::string& out, double value, int digits) {
    if (std::isnan(value)) out += "\"NaN\"";
    else if (std::isinf(value)) out += value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
    else if (value == 0 && std::signbit(value)) out += "-0.0";  // -0 is read as the integer 0
    else fmt::format_to(std::back_inserter(out), "{:.{}g}", value, digits);
}

// The axes of `shape` from `axis` on; `next` advances through the row-major values.
void append_axis(std::string& out, const Shape& shape, int axis, const real*& next, int digits) {
    if (axis == shape.rank()) return append_number(out, static_cast<double>(*next++), digits);
    out += '[';
    for (index_t i = 0; i < shape[axis]; ++i) {
        if (i > 0) out += ", ";
        append_axis(out, shape, axis + 1, next, digits);
    }
    out += ']';
}

void append_unit(std::string& out, char32_t unit) {  // a UTF-16 code unit
    out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(unit));
}

// For characters that JSON must escape or that must not reach a terminal (see printable_length).
void append_escaped(std::string& out, char32_t c) {
    switch (c) {
        case '"':
            out += "\\\"";
            return;
        case '\\':
            out += "\\\\";
            return;
        case '\n':
            out += "\\n";
            return;
        case '\t':
            out += "\\t";
            return;
        case '\r':
            out += "\\r";
            return;
    }
    if (c <= 0xFFFF) return append_unit(out, c);
    append_unit(out, 0xD800 + ((c - 0x10000) >> 10));
    append_unit(out, 0xDC00 + ((c - 0x10000) & 0x3FF));
}

}  // namespace

std::string json_number(double value, int digits) {
    std::string out;
    append_number(out, value, digits);
    return out;
}

std::string json_string(std::string_view text) {
    const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t begin = i;
        while (i < text.size() && is_plain(text[i])) ++i;
        out += text.substr(begin, i - begin);
        if (i == text.size()) break;
        const std::size_t length = utf8_length(text, i);
        if (length == 0) out += "\uFFFD";
        else if (text[i] == '"' || text[i] == '\\' || printable_length(text, i) == 0)
            append_escaped(out, utf8_code(text, i));
        else out += text.substr(i, length);
        i += length == 0 ? 1 : length;
    }
    return out + '"';
}

JsonValue::JsonValue(const Tensor& tensor, int digits) {
    if (tensor.numel() == 0) {
        text_ = "[]";
        return;
    }
    const std::vector<real> values = tensor.values();
    const real* next = values.data();
    append_axis(text_, tensor.shape(), 0, next, digits);
}

JsonValue JsonValue::raw(std::string json) {
    JsonValue value(nullptr);
    value.text_ = std::move(json);
    return value;
}

JsonParts::JsonParts(std::string_view brackets, const JsonLayout& layout)
    : JsonValue(nullptr), layout_(layout) {
    text_ = brackets;
    text_.insert(1, layout.end);
}

void JsonParts::append(const std::string& key, std::string_view json, bool on_new_line) {
    const char bracket = text_.back();
    text_.resize(text_.size() - 1 - layout_.end.size());
    if (!is_empty_) text_ += ',';
    text_ += on_new_line ? "\n " : is_empty_ ? layout_.first : layout_.next;
    text_.append(key).append(json).append(layout_.end) += bracket;
    is_empty_ = false;
}

JsonObject& JsonObject::add(std::string_view key, const JsonValue& value, bool on_new_line) {
    append(json_string(key) + (layout_.next.empty() ? ":" : ": "), value.text(), on_new_line);
    return *this;
}

JsonObject& JsonObject::add_all(const JsonObject& fields) {
    const std::string_view all = fields.text();
    if (!fields.is_empty()) append("", all.substr(1, all.size() - 2));
    return *this;
}

}  // namespace glassbox
