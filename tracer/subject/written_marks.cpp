#include "subject/written_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "subject/written_text.h"

namespace tracer {

namespace {

std::string_view trimmed(std::string_view line) {
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    return line;
}

// Goes through a line piece by piece: each is taken if it stands here.
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

std::string marked(char mark, const std::string& inside) { return mark + inside + mark; }

// ", , 2", "values(:,:,2) =", "[:, :, 2] =", "(2,.,.) =" with its name; none for other lines. R may name a
// slice: it is the next.
struct FoundSlice {
    std::string name, at;
    char which;
};
std::optional<FoundSlice> slice_in(std::string_view line) {
    if (Scan r(line); r.literal(", , "))
        return FoundSlice{"", Scan(std::string(r.rest()) + "\n").indices("\n").value_or(""), 'T'};
    if (Scan matlab(line); true) {
        const std::string name(matlab.word());
        const bool is_julia = name.empty() && matlab.literal("[:, :, ");
        if (is_julia || matlab.literal("(:,:,"))
            if (const auto at = matlab.indices(is_julia ? "]" : ")");
                at && (matlab.blanks(), matlab.any("=")))
                return FoundSlice{name == "ans" ? "" : name, *at, 'T'};
    }
    if (Scan torch(line); torch.literal("(")) {
        std::string at;
        for (std::string_view index; !(index = torch.integer()).empty() && index.size() < 10;) {
            at += (at.empty() ? "" : ",") + std::string(index);
            if (!torch.any(",")) return std::nullopt;
        }
        if (!at.empty() && torch.literal(".,.)") && (torch.blanks(), torch.any("=")))
            return FoundSlice{"", at, 'L'};
    }
    return std::nullopt;
}

// "Columns 1 through 6:", "Columns 7 and 8:", "Column 9:" by itself, and LibTorch's "Columns 1 to 8" before
// the first row.
struct FoundColumns {
    std::string which;  // "7,9"
    std::string row;
};
std::optional<FoundColumns> columns_in(std::string_view line) {
    Scan scan(line);
    if (!scan.literal("Columns ") && !scan.literal("Column ")) return std::nullopt;
    scan.blanks();
    const std::string first(scan.integer());
    if (first.empty() || first.size() > 9) return std::nullopt;
    std::string last = first;
    scan.blanks();
    const bool is_torch = scan.literal("to ");
    if (is_torch || scan.literal("through") || scan.literal("and")) {
        scan.blanks();
        last = scan.integer();
        if (last.empty() || last.size() > 9) return std::nullopt;
    }
    scan.any(":");
    if (!is_torch && !scan.end()) return std::nullopt;
    return FoundColumns{first + "," + last, std::string(trimmed(scan.rest()))};
}

// R's header of columns, "[,1] [,2]", as "1,2": from the first to the last, which counts them.
std::optional<std::string> r_columns(std::string_view line) {
    Scan scan(line);
    std::string first, last;
    int count = 0;
    while (!scan.end()) {
        if (!scan.literal("[,")) return std::nullopt;
        last = scan.integer();
        if (last.empty() || last.size() > 9 || !scan.literal("]")) return std::nullopt;
        if (first.empty()) first = last;
        // Out of order: columns that are not as many.
        if (std::stoi(last) != std::stoi(first) + count++) return first + "," + std::to_string(-1);
        scan.blanks();
    }
    if (first.empty()) return std::nullopt;
    return first + "," + last;
}

// "1.0e-01 *"
std::string factor_in(std::string_view line) {
    Scan scan(line);
    scan.any("+-");
    const bool any = scan.digits();
    scan.any(".");
    if (!scan.digits() && !any) return "";
    if (scan.any("eE")) scan.any("+-"), scan.digits();
    const std::string number(line.substr(0, scan.at()));
    scan.blanks();
    return scan.literal("*") && scan.end() ? number : "";
}

// The sizes at the beginning of a line: "3×2", "3 x 2" as "3,2".
std::string sizes_before(Scan& scan) {
    std::string sizes;
    for (;;) {
        const std::string_view size = scan.integer();
        if (size.empty() || size.size() > 9) return "";
        sizes += (sizes.empty() ? "" : ",") + std::string(size);
        Scan next = scan;
        next.blanks();
        if (!next.literal("×") && !next.any("x")) return sizes;
        next.blanks();
        if (Scan(next).integer().empty()) return sizes;
        scan = next;
    }
}

// Julia's "3×2 Matrix{Float32}:", "6-element Vector{Float64}:", MATLAB's "3×2 single matrix", R's "3 x 2
// Matrix of class "dgeMatrix"": the sizes.
std::optional<std::string> julia_sizes(std::string_view line) {
    Scan scan(line);
    const std::string sizes = sizes_before(scan);
    if (sizes.empty()) return std::nullopt;
    if (line.ends_with("Matrix\"") || line.ends_with("matrix") || line.ends_with(" table")) return sizes;
    if (!line.ends_with(':') && line.find("×") == line.npos) return std::nullopt;
    // Of vectors in a vector the first size alone is said.
    if (scan.literal("-element ")) return sizes + (line.find("Vector{Vector") == line.npos ? "" : ",?");
    if (!scan.literal(" ") || scan.rest().empty() || !is_letter(scan.rest()[0])) return std::nullopt;
    return sizes;
}

std::size_t words_in(std::string_view line) {
    std::size_t words = 0;
    for (std::size_t at = 0; (at = line.find_first_not_of(" \t", at)) != line.npos; ++words)
        at = std::min(line.find_first_of(" \t", at), line.size());
    return words;
}

bool has_only(std::string_view line, std::string_view characters) {
    return line.find_first_not_of(characters) == line.npos;
}

// |---|:---:| of Markdown, +-----+, ---- of Polars.
bool is_ruler(std::string_view line) {
    return has_only(line, "|-+=: \t") && (line.find("--") != line.npos || line.find("==") != line.npos);
}

// Types below the names of columns: f64 f64, <dbl> <dbl>.
bool are_types(std::string_view line) {
    if (line.empty()) return false;
    Scan scan(line);
    while (!scan.end()) {
        const bool is_tibble = scan.any("<");
        const std::string_view type = scan.word();
        constexpr std::string_view known[] = {"f64", "f32", "i64", "i32", "u32", "u8", "str", "bool"};
        if (is_tibble ? type.empty() || !scan.any(">")
                      : std::find(std::begin(known), std::end(known), type) == std::end(known))
            return false;
        scan.blanks();
    }
    return true;
}

// The numbers of a shape in words, "(3, 2)", "3 x 2", "[3, 2]", as "3,2".
std::optional<std::string> sizes_alone(std::string_view text) {
    std::string sizes;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view rest = text.substr(at);
        if (is_digit(text[at])) {
            const std::string size(Scan(rest).integer());
            if (size.size() > 9) return std::nullopt;
            sizes += (sizes.empty() ? "" : ",") + size;
            at += size.size();
        } else if (rest.starts_with("×")) {
            at += std::string_view("×").size();
        } else if (std::string_view(",xX ()[]{}L").find(text[at]) == std::string_view::npos) {
            return std::nullopt;
        } else {
            ++at;
        }
    }
    return sizes;
}

std::string said(char where, const std::string& sizes) {
    return sizes.empty() ? "" : marked(stands_for::shape, where + sizes);
}

// "values.shape: (3, 2)", "Shape: (3, 2)", "dtype: float32":
// Of the last, what it is the shape of remains.
std::optional<std::string> of_a_shape(std::string_view line) {
    constexpr std::string_view about[] = {"shape", "Shape", "size", "Size", "dims", "ndim", "dtype", "dim"};
    Scan scan(line);
    bool is_about = false, is_shape = false;
    std::string subject;
    for (std::string_view word; !(word = scan.word()).empty();) {
        bool is_name = true;
        for (const std::string_view each : about)
            if (word.ends_with(each)) {
                is_about = true, is_name = false;
                const std::string_view before = word.substr(0, word.size() - each.size());
                const bool is_torch = word.ends_with("torch.Size");
                is_shape = is_shape || is_torch || each == "shape" || each == "Shape" || each == "dims";
                if (!is_torch && before.size() > 1 && before.back() == '.')
                    subject = before.substr(0, before.size() - 1);
            }
        if (is_name) subject = word;
        scan.blanks(), scan.any(":="), scan.blanks();
    }
    const auto sizes = sizes_alone(scan.rest());
    if (!is_about || !sizes) return std::nullopt;
    return subject + (is_shape ? said('W', *sizes) : "");
}
// What says nothing of the numbers but perhaps their shape: <class 'numpy.ndarray'>, <NDArray 3x2 @cpu(0)>,
// [3 rows x 2 columns], dtype: float64, [ CPUFloatType{3,2} ], Tensor[[3, 2], f32]
std::optional<std::string> about_the_array(std::string_view line) {
    if (line.starts_with('<') && line.ends_with('>') && line.find('[') == line.npos) {
        Scan mxnet(line);
        if (mxnet.literal("<NDArray ")) return said('T', sizes_before(mxnet));
        return "";
    }
    if (line.starts_with("dtype:") || (line.starts_with("Name:") && line.find("dtype:") != line.npos))
        return "";
    if (line.starts_with("Length:") && line.find("dtype:") != line.npos) {
        Scan series(line.substr(7));
        series.blanks();
        return said('T', std::string(series.integer()));
    }
    if (Scan pandas(line); pandas.literal("[")) {
        const std::string rows(pandas.integer());
        if (!rows.empty() && pandas.literal(" rows x "))
            return said('T', rows + "," + std::string(pandas.integer()));
    }
    if (Scan psql(line); psql.literal("(")) {
        const std::string rows(psql.integer());
        if (!rows.empty() && psql.literal(" row")) return said('T', rows + ",?");
    }
    if (Scan candle(line); candle.literal("Tensor[") && (candle.any("["), candle.any("0123456789d")))
        if (const std::size_t type = line.find_last_of(",;");
            line.ends_with(']') && type != line.npos && is_letter(trimmed(line.substr(type + 1))[0])) {
            const std::string_view dims = line.substr(7, type - 7);
            return said('T', dims.starts_with("dims ") ? sizes_alone(dims.substr(5)).value_or("")
                                                       : sizes_alone(dims).value_or(""));
        }
    if (Scan torch(line); torch.literal("[ ")) {
        torch.literal("Variable[");
        if (torch.word().ends_with("Type") && (torch.any("]"), torch.literal("{"))) {
            const auto sizes = torch.indices("}");
            return sizes ? said('T', *sizes) : "";
        }
    }
    return std::nullopt;
}

// torch.float32, float64, int8
bool is_number_type(std::string_view word) {
    if (word.starts_with("torch.")) word.remove_prefix(6);
    for (const std::string_view type : {"float", "bfloat", "int", "uint", "bool"})
        if (word.starts_with(type) && has_only(word.substr(type.size()), "0123456789")) return true;
    return false;
}

// "out[0][1] = ", "V(1, 2): ", "(0, 1) ": the indices of a single number, and what they are of.
struct IndexedNumber {
    std::string name, at, number;
};
std::optional<IndexedNumber> indexed(std::string_view line) {
    Scan scan(line);
    const std::string name(scan.word());
    std::string at;
    if (Scan one = scan; one.literal("(") || (!name.empty() && one.literal("["))) {
        const bool is_round = line[scan.at()] == '(';
        const auto inside = one.indices(is_round ? ")" : "]");
        if (!inside) return std::nullopt;
        at = *inside;
        scan = one;
        while (!is_round && scan.literal("[")) {
            const auto next = scan.indices("]");
            if (!next) return std::nullopt;
            at += "," + *next;
        }
    }
    if (at.empty() && name.empty()) {  // 0,1: 0.5
        std::size_t axes = 0;
        for (std::string_view index; !(index = scan.integer()).empty() && index.size() < 10; ++axes) {
            at += (at.empty() ? "" : ",") + std::string(index);
            scan.blanks(), scan.any(","), scan.blanks();
        }
        const char sign = scan.end() ? '\0' : scan.rest()[0];
        if (axes < 2 || (sign != ':' && !scan.rest().starts_with("->"))) return std::nullopt;
    }
    if (at.empty()) return std::nullopt;
    scan.blanks();
    const bool has_sign = scan.literal("->") || scan.literal("=>") || (scan.any("=:"));
    if (!name.empty() && !has_sign) return std::nullopt;
    scan.blanks();
    std::string_view number = trimmed(scan.rest());
    while (!number.empty() && (number.back() == ';' || number.back() == ',')) number.remove_suffix(1);
    const bool is_number =
        !number.empty() && number.find_first_not_of("0123456789.,+-eEfnaiNI") == number.npos &&
        (is_digit(number[0]) || std::string_view(".-+nNiI").find(number[0]) != std::string_view::npos);
    if (!is_number) return std::nullopt;
    return IndexedNumber{name, at, std::string(number)};
}

// 2024-01-31, 2024/01/31, 31.01.2024, 01/31/2024; 2024-01, 2024-W05, 2024Q1
bool date(Scan& scan) {
    Scan whole = scan;
    const std::size_t first = whole.integer().size();
    if (first != 4 && first != 2) return false;
    Scan part = whole;
    part.any("-");
    if (first == 4 && part.any("WQ") && part.digits()) return scan = part, true;
    if (!whole.any(first == 4 ? "-/" : "./")) return false;
    const std::string_view second = whole.integer();
    if (second.size() != 2) return false;
    Scan day = whole;
    const bool has_day = day.any("-/.") && day.integer().size() == 6 - first;
    if (!has_day && (first == 2 || second < "01" || second > "12")) return false;
    scan = has_day ? day : whole;
    return true;
}

// Where a cell ends with what was scanned, else 0.
std::size_t cell_end(Scan scan) {
    scan.any("\"");
    return scan.end() || scan.blanks() || scan.any(",;|") ? scan.at() : 0;
}

// Dates behind the numbers of a row name it, too.
std::string without_dates_behind(std::string_view line) {
    std::string plain(line);
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t begin = std::min(line.find_first_not_of(" \t,;|", at), line.size());
        at = std::min(line.find_first_of(" \t,;|", begin), line.size());
        if (begin == 0) continue;
        Scan cell(line.substr(begin, at - begin));
        cell.any("\"");
        if (date(cell) && (cell.any("\""), cell.end())) plain.replace(begin, at - begin, at - begin, ' ');
    }
    return plain;
}

// Time stamps, dates that name a row, and the marks of an interpreter, that stand before what it printed.
std::size_t prefix_length(std::string_view line) {
    Scan scan(line);
    if (scan.literal("Out[") || scan.literal("In [")) {
        if ((scan.digits(), scan.literal("]:"))) return scan.at();
        return 0;
    }
    scan.any("[\"");
    const bool has_date = date(scan);
    Scan time = scan;
    if (has_date && !time.any("T ")) return cell_end(scan);
    if (has_date) time.blanks();
    if (time.integer().size() != 2 || !time.any(":") || time.integer().size() != 2)
        return has_date ? cell_end(scan) : 0;
    const bool has_seconds = time.any(":") && time.integer().size() == 2;
    if (!has_seconds && !has_date) return 0;
    if (time.any(".,")) time.digits();
    time.any("Z");
    time.any("]\"");
    return time.end() || time.blanks() || time.any(",;") ? time.at() : 0;
}

// ">>> values", "julia> values", "octave:3> disp(values)": what was typed, not what was answered.
bool is_typed(std::string_view line, bool is_after_in) {
    if (is_after_in) return line.find('[') == line.npos;
    const std::size_t end = line.find('>');
    if (end == line.npos || end > 20) return false;
    const std::string_view before = line.substr(0, end);
    if (!before.empty() && before != "julia" && !before.starts_with("octave:") && before != "ghci" &&
        !before.starts_with("irb"))
        return false;
    const std::string_view rest =
        trimmed(line.substr(std::min(line.find_first_not_of('>', end), line.size())));
    return !rest.empty() && is_letter(rest[0]) && rest.find('[') == rest.npos && rest.find('{') == rest.npos;
}

// "1, 2" of "c(1, 2)", "3:2" or "c(3L, 2L)": sizes of axes.
std::optional<std::string> sizes_in(std::string_view text) {
    Scan scan(text);
    if (scan.literal("c(")) return scan.indices(")");
    const std::string_view first = scan.integer();
    if (first.empty() || first.size() > 4) return std::nullopt;
    scan.any("L");
    if (!scan.any(":")) return std::nullopt;
    const std::string_view last = scan.integer();
    if (last.empty() || last.size() > 4) return std::nullopt;
    const int from = std::stoi(std::string(first)), to = std::stoi(std::string(last));
    if (std::abs(from - to) > 7) return std::nullopt;
    std::string sizes;
    for (int i = from;; i += from < to ? 1 : -1) {
        sizes += (sizes.empty() ? "" : ",") + std::to_string(i);
        if (i == to) return sizes;
    }
}

// The number behind "nrow = ", at most six digits; none if it is not there.
std::string size_behind(std::string_view text, std::string_view name) {
    const std::size_t at = text.find(name);
    if (at == text.npos) return "";
    Scan scan(text.substr(at + name.size()));
    scan.blanks(), scan.any("="), scan.blanks();
    const std::string_view size = scan.integer();
    return size.size() > 6 ? "" : std::string(size);
}

// The sizes that R's structure(c(…), dim = c(3L, 2L)), array(…) or matrix(c(…), nrow = 3, byrow = TRUE) says,
// of numbers that stand column by column.
std::string r_sizes(std::string_view call, std::size_t numbers) {
    for (const std::string_view dim : {"dim = ", "Dim = ", "dim=", "Dim="})
        if (const std::size_t at = call.find(dim); at != call.npos)
            return sizes_in(call.substr(at + dim.size())).value_or("");
    if (call.find("byrow = T") != call.npos || call.find("byrow=T") != call.npos) return "";
    std::string rows = size_behind(call, "nrow"), columns = size_behind(call, "ncol");
    const auto other = [&](const std::string& size) {
        const std::size_t n = std::stoul(size);
        return n > 0 && numbers % n == 0 ? std::to_string(numbers / n) : "";
    };
    if (rows.empty() && !columns.empty()) rows = other(columns);
    if (columns.empty() && !rows.empty()) columns = other(rows);
    return rows.empty() || columns.empty() ? "" : rows + "," + columns;
}

std::size_t closing(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t at = open; at < text.size(); ++at) {
        depth += (text[at] == '(') - (text[at] == ')');
        if (depth == 0) return at;
    }
    return text.npos;
}

// R's calls that make numbers: c(1, 2), structure(c(1, 2, 3, 4), dim = c(2L, 2L)), matrix(c(…), nrow = 2).
std::string with_r_calls(const std::string& text) {
    std::string out;
    std::size_t done = 0;
    const auto keep = [&](std::size_t from, std::size_t to) { out.append(text, from, to - from); };
    const auto blank = [&](std::size_t from, std::size_t to) {
        for (; from < to; ++from) out += text[from] == '\n' ? '\n' : ' ';
    };
    for (std::size_t at = 0; (at = text.find("c(", at)) != text.npos; ++at) {
        const bool is_word =
            at > 0 && (is_letter(text[at - 1]) || is_digit(text[at - 1]) || text[at - 1] == '.');
        const std::size_t end = text.find_first_of("()", at + 2);
        if (end == text.npos) break;
        if (is_word || at < done || text[end] == '(') continue;
        std::size_t from = at, last = end;
        std::string sizes;
        for (const std::string_view call : {"structure(", "matrix(", "array("}) {
            if (at < done + call.size() || text.compare(at - call.size(), call.size(), call) != 0) continue;
            last = closing(text, at - 1);
            if (last == text.npos) return text;
            from = at - call.size();
            const auto commas = std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                           text.begin() + static_cast<std::ptrdiff_t>(end), ',');
            sizes =
                r_sizes(std::string_view(text).substr(end, last - end), static_cast<std::size_t>(commas) + 1);
        }
        keep(done, from);
        if (!sizes.empty()) out += marked(stands_for::by_columns, sizes);
        out += '[';
        keep(at + 2, end);
        out += ']';
        blank(end + 1, last + 1);
        done = last + 1;
    }
    keep(done, text.size());
    return out;
}

// C++'s and Wolfram's braces are brackets, and its types are nothing: std::vector<float> x[2] = {{1, 2}};
std::string with_brackets(std::string text) {
    for (std::size_t at = 0; (at = text.find("std::", at)) != text.npos;) {
        std::size_t end = at + 5;
        while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
        int depth = 0;
        if (end < text.size() && text[end] == '<') {
            do {
                depth += (text[end] == '<') - (text[end] == '>');
                ++end;
            } while (depth > 0 && end < text.size() && text[end] != '\n');
        }
        text.replace(at, end - at, end - at, ' ');
    }
    // float values[3][2] = {, float[][] values = {
    for (std::size_t at = 0; (at = text.find('[', at)) != text.npos;) {
        Scan scan(std::string_view(text).substr(at));
        bool has_size = false;
        while (scan.literal("[")) {
            has_size = scan.digits() || has_size;
            while (scan.any(",")) {
            }
            if (!scan.literal("]")) break;
        }
        const std::size_t end = at + scan.at();
        scan.blanks();
        const bool is_behind_name = at > 0 && (is_letter(text[at - 1]) || is_digit(text[at - 1]));
        const bool is_before_type = end < text.size() && is_letter(text[end]);  // Go's [][]float64{
        const bool is_filled = [&] {  // of braces; x[0] = 1 is a number at its index
            if (scan.any("{")) return true;
            const bool has_sign = scan.any("=");
            while (scan.blanks() || scan.any("\n")) {
            }
            return has_sign && scan.any("{");
        }();
        const bool is_declared = text[end - 1] == ']' && ((is_behind_name && (!has_size || is_filled)) ||
                                                          (!has_size && is_before_type));
        if (is_declared) text.replace(at, end - at, end - at, ' ');
        at = end;
    }
    std::string plain = text;
    for (std::size_t at = 0; (at = plain.find("::", at)) != plain.npos;) plain.replace(at, 2, "  ");
    if (plain.find_first_of("[\":'") == plain.npos && plain.find('{') != plain.npos)
        for (char& c : text) c = c == '{' ? '[' : c == '}' ? ']' : c;
    return text;
}

class Marker {
  public:
    explicit Marker(std::string_view text)
        : text_(text), r_seen_(text.find("[1,]") != text.npos || text.find("\n[1] ") != text.npos) {}

    std::string marked_text() {
        for (std::size_t at = 0; at <= text_.size();) {
            const std::size_t end = std::min(text_.find('\n', at), text_.size());
            const std::string line = line_of(text_.substr(at, end - at));
            if (line.find_first_not_of(" \t") == line.npos && after_backslash_)
                out_ += marked(stands_for::columns, ""), after_backslash_ = false;
            for (const char c : line) depth_ += (c == '[') - (c == ']');
            out_ += line;
            if (end == text_.size()) break;
            out_ += '\n';
            at = end + 1;
        }
        end_r_vector();
        return out_;
    }

  private:
    std::string line_of(std::string_view whole) {
        std::string_view line = trimmed(whole);
        if (line.empty()) return "";
        if (line.starts_with("sep=") && line.size() <= 5) return "";  // of Excel
        // But Lisp's #2A((1 2) (3 4)) is an array.
        const bool is_comment = line[0] == '#' && [&] {
            for (const std::string_view error : {"#DIV/0!", "#N/A", "#NUM!", "#VALUE!", "#REF!", "#NAME?"})
                if (line.starts_with(error)) return false;  // a spreadsheet's
            Scan lisp(line.substr(1));
            lisp.digits(), lisp.any("A");
            return !lisp.any("(");
        }();
        if (is_comment || line[0] == '%' || line.starts_with("//")) return comment(line);
        for (const std::string_view comment : {" #", "\t#", " //", " % "})
            if (const std::size_t at = line.find(comment); at != line.npos && line.find('"') == line.npos)
                line = trimmed(line.substr(0, at));
        const bool is_after_in = line.starts_with("In [");
        const std::size_t prefix = depth_ <= 0 ? prefix_length(line) : 0;
        line = trimmed(line.substr(prefix));
        if (line.empty() || (depth_ <= 0 && is_typed(line, is_after_in))) return "";
        if (std::exchange(is_shape_next_, false))
            if (const auto shape = shape_line(line)) return *shape;
        if (depth_ > 0 && !is_in_r_vector_) return std::string(line);
        if (is_of_xarray(whole, line)) return "";
        if (const std::optional<std::string> r = of_r(line)) return *r;
        end_r_vector();
        if (const std::optional<std::string> other = of_matrices(line)) return *other;
        if (const std::optional<std::string> about = about_the_array(line)) return *about;
        if (is_ruler(line) || are_types(line)) return "";
        if (const std::optional<std::string> subject = of_a_shape(line)) return *subject;
        if (const std::optional<IndexedNumber> one = indexed(line)) {
            const bool is_new = one->name != std::exchange(indexed_name_, one->name);
            return (is_new && !one->name.empty() ? one->name + " = " : "") +
                   marked(stands_for::index, one->at) + one->number;
        }
        indexed_name_.clear();
        // A row at its index, "out[0] = [0.5, 0.25]", is one with its number before it.
        if (Scan named(line); !named.word().empty() && named.literal("[")) {
            const std::string number(named.integer());
            if (!number.empty() && named.literal("]") && (named.blanks(), named.any("=:")) &&
                (named.blanks(), named.rest().starts_with('[')))
                return number + " " + std::string(named.rest());
        }
        return row(line);
    }

    std::string comment(std::string_view line) {
        line.remove_prefix(std::min(line.find_first_not_of("#%/ "), line.size()));
        // Octave's save -text
        if (line.starts_with("name: ")) return std::string(line.substr(6)) + " =";
        is_shape_next_ = line.starts_with("ndims:");
        if (line.starts_with("A tibble: ")) {
            Scan sizes(line.substr(10));
            return said('L', sizes_before(sizes));
        }
        if (line.starts_with("rows: ")) rows_ = Scan(line.substr(6)).integer();
        if (line.starts_with("columns: ") && !rows_.empty())
            return said('L', std::exchange(rows_, "") + "," + std::string(Scan(line.substr(9)).integer()));
        if (line.starts_with("type: ") && line.find("complex") != line.npos) return "0j";  // is refused
        if (line.find(" more row") != line.npos || line.find(" more variable") != line.npos) return "…";
        return "";
    }
    static std::optional<std::string> shape_line(std::string_view line) {
        std::string sizes;
        for (Scan scan(line); !scan.end(); scan.blanks()) {
            const std::string_view size = scan.integer();
            if (size.empty() || size.size() > 9) return std::nullopt;
            sizes += (sizes.empty() ? "" : ",") + std::string(size);
        }
        return marked(stands_for::by_columns, sizes);
    }

    bool is_of_xarray(std::string_view whole, std::string_view line) {
        if (line.starts_with("<xarray.")) return true;
        if (line.starts_with("Coordinates:") || line.starts_with("Dimensions without coordinates") ||
            line.starts_with("Attributes:") || line.starts_with("Indexes:"))
            return is_below_array_ = true;
        is_below_array_ = is_below_array_ && is_blank(whole[0]);
        return is_below_array_;
    }

    std::optional<std::string> of_r(std::string_view line) {
        if (const auto which = r_columns(line)) return r_seen_ = true, marked(stands_for::columns, *which);
        if (Scan row(line); row.literal("[")) {
            const std::string number(row.integer());
            if (!number.empty() && number.size() < 10 && row.literal(",]"))
                return r_seen_ = true, marked(stands_for::row, number) + std::string(row.rest());
        }
        if (r_seen_ && line.starts_with("[[") && line.ends_with("]]") &&
            has_only(line.substr(2, line.size() - 4), "0123456789"))
            return "";
        if (line.starts_with('$') && line.size() > 1 && is_letter(line[1]) && line.find(' ') == line.npos)
            return r_seen_ = true, end_r_vector(), std::string(line.substr(1)) + " =";
        Scan vector(line);
        if (!vector.literal("[")) return std::nullopt;
        const std::string_view index = vector.integer();
        if (index.empty() || !vector.literal("]") || !vector.blanks() || vector.end() ||
            vector.rest().find_first_of("[],") != std::string_view::npos)
            return std::nullopt;
        const std::size_t before = std::exchange(r_numbers_, r_numbers_ + words_in(vector.rest()));
        if (index == "1") {
            end_r_vector();
            is_in_r_vector_ = true;
            r_numbers_ -= before;
            return '[' + std::string(vector.rest());
        }
        if (!is_in_r_vector_) return std::nullopt;
        // The index of a line's first number: others are left out before it.
        return index == std::to_string(before + 1) ? std::string(vector.rest()) : "…";
    }
    void end_r_vector() {  // behind its last number, in the line before
        if (!is_in_r_vector_) return;
        is_in_r_vector_ = false;
        out_.insert(out_.find_last_not_of(" \n\t") + 1, "]");
        depth_ = 0;
    }

    std::optional<std::string> of_matrices(std::string_view line) {
        if (const auto found = columns_in(line))
            return marked(stands_for::columns, found->which) + factor_or(found->row);
        if (!factor_in(line).empty()) return factor_or(std::string(line));
        if (const auto sizes = julia_sizes(line)) return said('L', *sizes);
        if (auto slice = slice_in(line)) {
            if (slice->at.empty()) slice->at = std::to_string(++r_slices_);
            else r_slices_ = 0;
            const bool is_first = has_only(slice->at, "1,");
            const std::string name = is_first && !slice->name.empty() ? slice->name + " = " : "";
            return name + marked(stands_for::slice, slice->which + slice->at);
        }
        if (line.starts_with("<tf."))
            if (const std::size_t numpy = line.find("numpy="); numpy != line.npos) {
                const std::size_t shape = line.find("shape=(");
                const auto sizes = Scan(line.substr(std::min(shape, numpy - 7) + 7)).indices(")");
                return (shape < numpy && sizes ? said('L', *sizes) : "") +
                       std::string(line.substr(numpy + 6));
            }
        return std::nullopt;
    }

    static std::string factor_or(const std::string& line) {
        const std::string factor = factor_in(line);
        return factor.empty() ? line : marked(stands_for::factor, factor);
    }

    std::string row(std::string_view line) {
        if (line.ends_with(" \\")) {  // pandas: columns follow below
            after_backslash_ = true;
            line.remove_suffix(2);
        }
        std::string plain = without_dates_behind(line);
        // A word of a vocabulary, [SEP], and R's assignment.
        const std::size_t end = plain.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 1);
        if (plain[0] == '[' && end != plain.npos && end > 1 && end + 1 < plain.size() && plain[end] == ']' &&
            is_blank(plain[end + 1]))
            plain[0] = plain[end] = ' ';
        if (const std::size_t arrow = plain.find(" <- "); arrow != plain.npos)
            plain.replace(arrow, 4, " =  ");
        if (line.find('"') == line.npos) std::replace(plain.begin(), plain.end(), '|', ' ');
        // Behind the numbers: "…]], shape (3, 2)"
        if (const std::size_t at = plain.rfind(" shape"); at != plain.npos && plain.find(']') < at) {
            const std::size_t sizes_at = plain.find_first_not_of(" :=", at + 6);
            const auto sizes = sizes_alone(std::string_view(plain).substr(std::min(sizes_at, plain.size())));
            if (sizes && !sizes->empty()) plain = plain.substr(0, at) + said('W', *sizes);
        }
        return with_size(with_torch_size(plain));
    }

    // torch.Size([3, 2]) as (3, 2)
    static std::string with_torch_size(std::string line) {
        for (const std::string_view type : {"torch.Size([", "TensorShape(["}) {
            const std::size_t at = line.find(type);
            if (at == line.npos) continue;
            Scan scan(std::string_view(line).substr(at + type.size()));
            if (const auto sizes = scan.indices("])"))
                line.replace(at, type.size() + scan.at(), "(" + *sizes + ")");
        }
        return line;
    }
    // A tuple of sizes by itself, behind a name or before an array: "(3, 2)", "values (3, 2)", "(3, 2) [[".
    static std::string with_size(const std::string& line) {
        if (const std::size_t last = line.rfind(" ("); line.ends_with(')') && last != line.npos && last > 0 &&
                                                       (line[last - 1] == ')' || line[last - 1] == ']'))
            if (const auto sizes = Scan(std::string_view(line).substr(last + 2)).indices(")"))
                return line.substr(0, last) + marked(stands_for::size, *sizes);
        const std::size_t open = line.find('(');
        if (open == line.npos || (open > 0 && is_letter(line[open - 1]))) return line;
        const std::string_view words = std::string_view(line).substr(0, open);
        if (words.find_first_of("[]{}\"',;+-") != words.npos) return line;
        if (std::any_of(words.begin(), words.end(), is_digit) && !is_letter(words[0])) return line;
        Scan scan(std::string_view(line).substr(open + 1));
        const auto sizes = scan.indices(")");
        if (!sizes) return line;
        std::string_view rest = trimmed(scan.rest());
        if (rest == ":" || is_number_type(rest)) rest = "";
        if (!rest.empty() && (rest[0] == ',' || rest.find('[') == rest.npos)) return line;
        return line.substr(0, open) + marked(stands_for::size, *sizes) + std::string(rest);
    }

    std::string_view text_;
    bool r_seen_;  // what only R prints
    std::string out_;
    int depth_ = 0;              // of brackets
    int r_slices_ = 0;           // with names
    std::size_t r_numbers_ = 0;  // of a vector so far
    std::string indexed_name_, rows_;
    bool is_shape_next_ = false, is_below_array_ = false, is_in_r_vector_ = false, after_backslash_ = false;
};

}  // namespace

std::string with_marks(std::string_view text) {
    return Marker(with_brackets(with_r_calls(std::string(text)))).marked_text();
}

}  // namespace tracer
