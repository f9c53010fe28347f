#include <glassbox/io/detail/npy_dict.h>

#include <algorithm>
#include <charconv>
#include <set>

#include <glassbox/io/file.h>

namespace glassbox::detail {
namespace {

class Parser {
  public:
    Parser(std::string_view text, Python python, std::uint64_t offset, const std::string& file)
        : text_(text), python_(python), offset_(offset), file_(file) {}

    NpyDict parse() {
        skip(" \t");
        skip("\n");
        if (peek() != '{') refuse("the header is not a Python dict: expected '{{', found {}", shown());
        ++position_;
        for (skip_spaces(); peek() != '}'; skip_spaces()) {
            entry();
            skip_spaces();
            if (peek() == ',') ++position_;
            else if (peek() != '}') refuse("expected ',' or '}}' in the header, found {}", shown());
        }
        ++position_;
        skip(" \t");
        skip(python_ == Python::two ? " \t\n" : "\n");
        if (position_ < text_.size()) refuse("the header continues after its dict with {}", shown());
        for (const char* key : {"descr", "fortran_order", "shape"})
            if (!seen_.count(key)) fail_at(file_, offset_, "the header has no '{}'", key);
        return dict_;
    }

  private:
    char peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }
    std::uint64_t here() const { return offset_ + position_; }
    std::string shown() const {
        if (position_ >= text_.size()) return "its end";
        return fmt::format("'{}'", printable(text_.substr(position_, 12)));
    }
    template <class... Args>
    [[noreturn]] void refuse(fmt::format_string<Args...> reason, Args&&... args) const {
        fail_at(file_, here(), reason, std::forward<Args>(args)...);
    }
    void skip(std::string_view any_of) {
        position_ = std::min(text_.find_first_not_of(any_of, position_), text_.size());
    }
    void skip_spaces() { skip(" \t\r\n\f"); }

    void entry() {
        const std::uint64_t key_offset = here();
        const std::string key = quoted("a key");
        if (!seen_.insert(key).second)
            fail_at(file_, key_offset, "the key '{}' appears twice", printable(key));
        skip_spaces();
        if (peek() != ':') refuse("expected ':' after the key '{}', found {}", printable(key), shown());
        ++position_;
        skip_spaces();
        if (key == "descr") descr();
        else if (key == "fortran_order") dict_.fortran_order = boolean();
        else if (key == "shape") shape();
        else fail_at(file_, key_offset, "the key '{}' is unknown", printable(key));
    }

    // Escapes are rejected: NumPy never writes one here.
    std::string quoted(const char* what) {
        const char quote = peek();
        if (quote != '\'' && quote != '"') refuse("expected {} in quotes, found {}", what, shown());
        const std::size_t begin = position_ + 1;
        const std::size_t end = text_.find(quote, begin);
        if (end == std::string_view::npos) refuse("a quote is not closed");
        const std::string_view inside = text_.substr(begin, end - begin);
        for (const char c : inside)
            if (c < 0x20 || c > 0x7E || c == '\\') refuse("'{}' is not plain ASCII", printable(inside));
        position_ = end + 1;
        return std::string(inside);
    }

    // A list of fields is a record, which the caller rejects: only its end has to be found.
    void descr() {
        dict_.descr_offset = here();
        if (peek() != '[' && peek() != '(') {
            dict_.descr = quoted("'descr'");
            return;
        }
        dict_.descr_is_record = true;
        const std::size_t begin = position_;
        int depth = 0;
        do {
            const char c = peek();
            if (position_ >= text_.size()) refuse("the list of 'descr' is not closed");
            if (c == '\'' || c == '"') {
                const std::size_t end = text_.find(c, position_ + 1);
                if (end == std::string_view::npos) refuse("a quote is not closed");
                position_ = end;
            }
            if (c == '[' || c == '(') ++depth;
            if (c == ']' || c == ')') --depth;
            ++position_;
        } while (depth > 0);
        dict_.descr = text_.substr(begin, position_ - begin);
    }

    bool boolean() {
        for (const bool value : {false, true}) {
            const std::string_view word = value ? "True" : "False";
            if (!text_.substr(position_).starts_with(word)) continue;
            position_ += word.size();
            return value;
        }
        refuse("'fortran_order' must be True or False, found {}", shown());
    }

    // (), (3,), (3, 2): to Python, (3) without the comma is a number.
    void shape() {
        dict_.shape_offset = here();
        if (peek() != '(') refuse("'shape' must be a tuple, found {}", shown());
        ++position_;
        bool comma = true;
        for (skip_spaces(); peek() != ')'; skip_spaces()) {
            if (!comma) refuse("expected ',' or ')' in 'shape', found {}", shown());
            dict_.shape.push_back(size());
            skip_spaces();
            comma = peek() == ',';
            if (comma) ++position_;
        }
        if (dict_.shape.size() == 1 && !comma)
            refuse("'shape' must be a tuple: ({0},) instead of ({0})", dict_.shape[0]);
        ++position_;
    }

    index_t size() {
        if (peek() == '-') refuse("a size in 'shape' is negative");
        index_t value = 0;
        const char* begin = text_.data() + position_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (error == std::errc::result_out_of_range)
            refuse("a size in 'shape' is larger than can be counted");
        if (error != std::errc{}) refuse("expected a size in 'shape', found {}", shown());
        if (*begin == '0' && value != 0)
            refuse("a size in 'shape' begins with 0: {}",
                   text_.substr(position_, static_cast<std::size_t>(end - begin)));
        position_ += static_cast<std::size_t>(end - begin);
        if (peek() == 'L' && python_ == Python::two) ++position_;
        return value;
    }

    std::string_view text_;
    Python python_;
    std::uint64_t offset_;
    const std::string& file_;
    std::size_t position_ = 0;
    std::set<std::string> seen_;
    NpyDict dict_;
};

}  // namespace

NpyDict parse_npy_dict(std::string_view text, Python python, std::uint64_t offset, const std::string& file) {
    return Parser(text, python, offset, file).parse();
}

}  // namespace glassbox::detail
