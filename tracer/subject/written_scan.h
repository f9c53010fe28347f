#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "subject/written_text.h"

namespace glassbox::tracer {

// Without the blanks around it.
inline std::string_view trimmed(std::string_view line) {
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    return line;
}

// Goes through a line piece by piece: each is taken if it is here.
class Scan {
  public:
    explicit Scan(std::string_view text) : text_(text) {}

    bool literal(std::string_view piece) {
        if (!text_.substr(at_).starts_with(piece)) return false;
        at_ += piece.size();
        return true;
    }
    bool any(std::string_view pieces) {
        if (at_ >= text_.size() || pieces.find(text_[at_]) == pieces.npos) return false;
        ++at_;
        return true;
    }
    bool blanks() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
        return at_ > begin;
    }
    bool digits() { return take(is_digit) > 0; }
    std::string_view integer() {
        const std::size_t begin = at_;
        digits();
        return text_.substr(begin, at_ - begin);
    }
    std::string_view word() {  // a name: values, encoder/0.norm
        const std::size_t begin = at_;
        if (at_ < text_.size() && is_letter(text_[at_]))
            take([](char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '/' || c == '$'; });
        return text_.substr(begin, at_ - begin);
    }
    bool end() const { return at_ >= text_.size(); }
    std::size_t at() const { return at_; }
    std::string_view rest() const { return text_.substr(at_); }

    // "1, 2" up to `close`, with `between` between the indices.
    std::optional<std::string> indices(std::string_view close) {
        std::string found;
        for (;;) {
            blanks();
            const std::string_view index = integer();
            if (index.empty() || index.size() > 9) return std::nullopt;
            found += (found.empty() ? "" : ",") + std::string(index);
            any("L");  // R's integers
            blanks();
            if (literal(close)) return found;
            if (!any(",x") && !literal("×")) return std::nullopt;
            blanks();
            if (literal(close)) return found;  // Python's (3,)
        }
    }

  private:
    template <class Is>
    std::size_t take(Is is) {
        const std::size_t begin = at_;
        while (at_ < text_.size() && is(text_[at_])) ++at_;
        return at_ - begin;
    }
    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace glassbox::tracer
