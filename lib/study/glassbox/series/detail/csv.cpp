#include <glassbox/series/detail/csv.h>

#include <algorithm>

#include <glassbox/tensor/format.h>

namespace glassbox::detail {

namespace {

// The first of the text, which is the header's: one without any is refused.
char separator_of(std::string_view text) {
    bool is_quoted = false;
    for (const char c : text) {
        if (c == '"') is_quoted = !is_quoted;
        if (!is_quoted && (c == ',' || c == ';' || c == '\t')) return c;
    }
    return ',';
}

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

}  // namespace

CsvReader::CsvReader(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {
    if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
    skip_preamble();
    if (separator_ == 0) separator_ = separator_of(text_.substr(at_));
}

void CsvReader::skip_line() {
    at_ = std::min(text_.find('\n', at_), text_.size());
    if (at_ < text_.size()) ++at_, ++next_line_;
}

void CsvReader::skip_preamble() {
    if (text_.size() > 5 && text_.starts_with("sep=") && (text_[5] == '\n' || text_[5] == '\r')) {
        separator_ = text_[4];
        skip_line();
    }
    std::size_t last = at_;
    const index_t first_line = next_line_;
    while (at_ < text_.size() && text_[at_] == '#') last = at_, skip_line();
    const bool has_numbers = at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9';
    if (next_line_ == first_line || !has_numbers) return;
    at_ = last + 1;
    --next_line_;
}

std::optional<std::vector<std::string>> CsvReader::next() {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r'))
        next_line_ += text_[at_++] == '\n';
    if (at_ >= text_.size()) return std::nullopt;
    line_ = next_line_;
    std::vector<std::string> row;
    for (;;) {
        const bool is_quoted = at_ < text_.size() && text_[at_] == '"';
        row.push_back(is_quoted ? quoted() : std::string(plain()));
        if (at_ < text_.size() && text_[at_] == separator_) {
            ++at_;
            continue;
        }
        return row;  // at a line's end, which the next call skips
    }
}

std::string CsvReader::quoted() {
    std::string cell;
    for (++at_;; ++at_) {
        const std::size_t end = text_.find('"', at_);
        if (end == std::string_view::npos)
            fail<FileError>("{}: line {}: a quote is not closed", file_, line_);
        cell += text_.substr(at_, end - at_);
        next_line_ += std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                 text_.begin() + static_cast<std::ptrdiff_t>(end), '\n');
        at_ = end + 1;
        if (at_ >= text_.size() || text_[at_] != '"') break;
        cell += '"';
    }
    if (!plain().empty()) fail<FileError>("{}: line {}: text after the quote that ends a cell", file_, line_);
    return cell;
}

// Up to the separator or the end of the line, without spaces around it.
std::string_view CsvReader::plain() {
    const char ends[] = {separator_, '\n', '\r', '\0'};
    const std::size_t end = std::min(text_.find_first_of(std::string_view(ends, 3), at_), text_.size());
    std::string_view cell = text_.substr(at_, end - at_);
    at_ = end;
    while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t')) cell.remove_prefix(1);
    while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t')) cell.remove_suffix(1);
    return cell;
}

}  // namespace glassbox::detail
