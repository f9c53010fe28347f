#include "subject/written_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "subject/written_scan.h"
#include "subject/written_shape.h"

namespace glassbox::tracer {

namespace {

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

// "×10⁻¹", "x 10^-1", "* 1e-1" as "1e-1"
std::string power_in(std::string_view line) {
    Scan scan(line);
    if (!scan.literal("×") && !scan.literal("·") && !scan.any("x*")) return "";
    scan.blanks();
    if (Scan e = scan; e.literal("1e") || e.literal("1E")) {
        const std::string_view power = e.rest();
        e.any("+-");
        return e.digits() && e.end() ? fmt::format("1e{}", power) : "";
    }
    if (!scan.literal("10")) return "";
    std::string power;
    const bool has_sign = scan.literal("^") || scan.literal("**"), is_in_braces = scan.any("{[");
    if (has_sign) {
        if (scan.any("-")) power = "-";
        power += scan.integer();
        if (is_in_braces && !scan.any("}]")) return "";
    }
    constexpr std::string_view superscripts[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    if (!has_sign) {
        if (scan.literal("⁻")) power = "-";
        for (bool is_taken = true; is_taken;) {
            is_taken = false;
            for (std::size_t digit = 0; digit < std::size(superscripts) && !is_taken; ++digit)
                if ((is_taken = scan.literal(superscripts[digit]))) power += std::to_string(digit);
        }
    }
    const bool has_digits = !power.empty() && power != "-" && power.size() < 5;
    return has_digits && scan.end() ? "1e" + power : "";
}

// "1.0e-01 *"
std::string factor_in(std::string_view line) {
    if (const std::string power = power_in(line); !power.empty()) return power;
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
    if (has_only(line, "|-:") && line.find("|-") != line.npos && line.find("-|") != line.npos) return true;
    return has_only(line, "|-+=: \t") && (line.find("--") != line.npos || line.find("==") != line.npos);
}

// Markdown's "| **0.5** |" as "|   0.5   |"; stars on one side alone are something else.
void clear_emphasis(std::string& line) {
    for (std::size_t at = 0; (at = line.find_first_not_of("| \t", at)) != line.npos;) {
        const std::size_t bar = std::min(line.find('|', at), line.size());
        const std::size_t end = line.find_last_not_of(" \t", bar - 1) + 1;
        const std::string_view cell = std::string_view(line).substr(at, end - at);
        const std::size_t stars = std::min(cell.find_first_not_of('*'), cell.size());
        const bool is_closed =
            stars > 0 && 2 * stars < cell.size() && cell.find_last_not_of('*') + 1 + stars == cell.size();
        if (is_closed) {
            std::fill_n(line.begin() + static_cast<std::ptrdiff_t>(at), stars, ' ');
            std::fill_n(line.begin() + static_cast<std::ptrdiff_t>(end - stars), stars, ' ');
        }
        at = bar;
    }
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

// "Head 1:" above its own matrix: its number, else "".
std::string numbered_part(std::string_view line) {
    Scan scan(line);
    std::string word(scan.word());
    for (char& c : word)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    constexpr std::string_view parts[] = {"head",   "batch",    "row",   "query",  "token",
                                          "sample", "position", "slice", "channel"};
    if (std::find(std::begin(parts), std::end(parts), word) == std::end(parts)) return "";
    scan.blanks();
    const std::string number(scan.integer());
    return scan.any(":") && scan.end() && number.size() < 10 ? number : "";
}

class Marker {
  public:
    explicit Marker(std::string_view text)
        : text_(text), r_seen_(text.find("[1,]") != text.npos || text.find("\n[1] ") != text.npos) {}

    std::string marked_text() {
        for (std::size_t at = 0; at <= text_.size();) {
            const std::size_t end = std::min(text_.find('\n', at), text_.size());
            behind_line_ = std::min(end + 1, text_.size());
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
        if (const std::optional<std::string> xarray = of_xarray(whole, line)) return *xarray;
        if (const std::optional<std::string> r = of_r(line)) return *r;
        end_r_vector();
        if (const std::optional<std::string> other = of_matrices(line)) return *other;
        if (const std::string number = numbered_part(line); !number.empty() && is_above_brackets())
            return marked(stands_for::row, number);
        if (const std::optional<std::string> about = about_the_array(line)) return *about;
        if (is_ruler(line) || are_types(line)) return "";
        if (const std::optional<std::string> subject = of_a_shape(line)) return *subject;
        if (is_of_rows_or_columns(line)) {
            const std::string both = std::exchange(size_line_, std::string(line)) + ", " + std::string(line);
            const std::optional<std::string> shape = of_a_shape(both);
            if (!shape) return "";
            size_line_.clear();
            return *shape;
        }
        size_line_.clear();
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
            return stated_shape('L', sizes_before(sizes));
        }
        if (line.starts_with("rows: ")) rows_ = Scan(line.substr(6)).integer();
        if (line.starts_with("columns: ") && !rows_.empty())
            return stated_shape('L',
                                std::exchange(rows_, "") + "," + std::string(Scan(line.substr(9)).integer()));
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

    // Below an xarray's numbers: what its axes' indices are called.
    std::optional<std::string> of_xarray(std::string_view whole, std::string_view line) {
        if (line.starts_with("Coordinates:") || line.starts_with("Dimensions without coordinates") ||
            line.starts_with("Attributes:") || line.starts_with("Indexes:")) {
            is_below_array_ = true;
            return "";
        }
        is_below_array_ = is_below_array_ && is_blank(whole[0]);
        if (!is_below_array_) return std::nullopt;
        // "* query    (query) int64 24B 1 0 2"
        Scan scan(line);
        if (!scan.literal("* ")) return "";
        const std::string axis(scan.word());
        scan.blanks();
        if (!scan.literal("(" + axis + ")") || (scan.blanks(), scan.any("<"), scan.word()).empty()) return "";
        std::string labels;
        for (scan.blanks(); !scan.end(); scan.blanks()) {
            const std::string_view rest = scan.rest();
            const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
            if (word == "...") return "";  // not all of them
            const bool is_size = labels.empty() && word.size() > 1 && word.back() == 'B' && is_digit(word[0]);
            if (!is_size) labels += (labels.empty() ? "" : ",") + std::string(word);
            (void)scan.literal(word);
        }
        std::erase_if(labels, [](char c) { return c == '\'' || c == '"'; });
        return labels.empty() ? "" : marked(stands_for::names, axis + ":" + labels);
    }

    std::optional<std::string> of_r(std::string_view line) {
        if (const auto which = r_columns(line)) {
            end_r_vector();  // as of dim(x)
            return r_seen_ = true, marked(stands_for::columns, *which);
        }
        if (Scan row(line); row.literal("[")) {
            const std::string number(row.integer());
            if (!number.empty() && number.size() < 10 && row.literal(",]"))
                return r_seen_ = true, marked(stands_for::row, number) + std::string(row.rest());
        }
        if (r_seen_ && line.starts_with("[[") && line.ends_with("]]") &&
            has_only(line.substr(2, line.size() - 4), "0123456789") && line.size() < 14) {
            end_r_vector();
            return marked(stands_for::row, std::string(line.substr(2, line.size() - 4)));
        }
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
    void end_r_vector() {  // after its last number, in the line before
        if (!is_in_r_vector_) return;
        is_in_r_vector_ = false;
        out_.insert(out_.find_last_not_of(" \n\t") + 1, "]");
        depth_ = 0;
    }

    std::optional<std::string> of_matrices(std::string_view line) {
        if (const auto found = columns_in(line))
            return marked(stands_for::columns, found->which) + factor_or(found->row);
        if (!factor_in(line).empty()) return factor_or(std::string(line));
        if (const auto sizes = sizes_of_matrix(line)) return stated_shape('L', *sizes);
        if (Scan named(line); !named.word().empty() && !of_a_shape(line)) {  // values = 3×2 Matrix{Float64}:
            const std::string name(line.substr(0, named.at()));
            if (named.blanks() && named.any("=") && named.blanks())
                if (const auto sizes = sizes_of_matrix(named.rest()))
                    return name + " = " + stated_shape('L', *sizes);
        }
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
                return (shape < numpy && sizes ? stated_shape('L', *sizes) : "") +
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
        if (plain.starts_with('|') && plain.find('*') != plain.npos) clear_emphasis(plain);
        if (line.find('"') == line.npos && line.find("|>") == line.npos)
            std::replace(plain.begin(), plain.end(), '|', ' ');
        // Behind the numbers: "…]], shape (3, 2)"
        if (const std::size_t at = plain.rfind(" shape"); at != plain.npos && plain.find(']') < at) {
            const std::size_t sizes_at = plain.find_first_not_of(" :=", at + 6);
            const auto sizes = sizes_alone(std::string_view(plain).substr(std::min(sizes_at, plain.size())));
            if (sizes && !sizes->empty()) plain = plain.substr(0, at) + stated_shape('W', *sizes);
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
    // A tuple of sizes by itself, after a name or before an array: "(3, 2)", "values (3, 2)", "(3, 2) [[".
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
        const bool is_stated = is_number_type(rest);
        if (rest == ":" || is_stated) rest = "";
        if (!rest.empty() && (rest[0] == ',' || rest.find('[') == rest.npos)) return line;
        return line.substr(0, open) +
               (is_stated ? stated_shape('W', *sizes) : marked(stands_for::size, *sizes)) + std::string(rest);
    }

    bool is_above_brackets() const {
        const std::size_t next = text_.find_first_not_of(" \t\n", behind_line_);
        return next != text_.npos && text_[next] == '[';
    }

    std::string_view text_;
    std::size_t behind_line_ = 0;
    bool r_seen_;  // what only R prints
    std::string out_;
    int depth_ = 0;              // of brackets
    int r_slices_ = 0;           // with names
    std::size_t r_numbers_ = 0;  // of a vector so far
    std::string indexed_name_, rows_, size_line_;
    bool is_shape_next_ = false, is_below_array_ = false, is_in_r_vector_ = false, after_backslash_ = false;
};

}  // namespace

std::string with_marks(std::string_view text) {
    return Marker(with_plain_code(std::string(text))).marked_text();
}

}  // namespace glassbox::tracer
