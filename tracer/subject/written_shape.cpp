#include "subject/written_shape.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "subject/written_marks.h"
#include "subject/written_scan.h"

namespace glassbox::tracer {

namespace {

bool is_any_of(std::string_view word, std::initializer_list<std::string_view> words) {
    std::string lower(word);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return std::find(words.begin(), words.end(), lower) != words.end();
}
bool means_rows(std::string_view word) {
    return is_any_of(word, {"rows", "row", "nrow", "nrows", "n_rows", "num_rows", "numrows", "height",
                            "zeilen", "lignes"});
}
bool means_columns(std::string_view word) {
    return is_any_of(word, {"cols", "col", "columns", "column", "ncol", "ncols", "n_cols", "num_cols",
                            "numcols", "width", "spalten", "colonnes"});
}

// "rows=3 cols=2", "3 rows, 2 columns", "Matrix with 3 rows and 2 columns:": as far as stated.
struct RowsAndColumns {
    std::string rows = {}, columns = {};
};
RowsAndColumns rows_and_columns(std::string_view line) {
    RowsAndColumns found;
    std::string number;
    std::string_view name;
    for (Scan scan(line); !scan.end();) {
        if (scan.blanks() || scan.any("=:,;()[]x*") || scan.literal("×")) continue;
        if (const std::string_view word = scan.word(); !word.empty()) {
            if (means_rows(word) || means_columns(word)) {
                if (!name.empty()) return {};
                name = word;
            }
        } else if (const std::string_view size = scan.integer(); !size.empty() && size.size() <= 9) {
            if (!number.empty() || size == "0") return {};  // 0 is an index
            number = size;
        } else {
            return {};
        }
        if (name.empty() || number.empty()) continue;
        std::string& size = means_rows(name) ? found.rows : found.columns;
        if (!size.empty()) return {};
        size = std::exchange(number, ""), name = {};
    }
    return number.empty() && name.empty() ? found : RowsAndColumns();
}

// The sizes and names of xarray's "<xarray.DataArray 'values' (query: 3, d: 2)> Size: 24B".
std::string dimensions_in(std::string_view line) {
    const std::size_t open = line.rfind(" (");
    if (open == line.npos) return "";
    std::string sizes, names;
    for (Scan scan(line.substr(open + 2)); !scan.any(")");) {
        const std::size_t colon = scan.rest().find(':');
        if (colon == std::string_view::npos) return "";
        names += (names.empty() ? "" : ",") + std::string(trimmed(scan.rest().substr(0, colon)));
        Scan size(scan.rest().substr(colon + 1));
        size.blanks();
        const std::string number(size.integer());
        if (number.empty() || number.size() > 9) return "";
        sizes += (sizes.empty() ? "" : ",") + number;
        size.any(","), size.blanks();
        scan = size;
        if (scan.end()) return "";
    }
    return stated_shape('L', sizes) + (names.empty() ? "" : marked(stands_for::axes, names));
}

}  // namespace

std::string stated_shape(char where, const std::string& sizes) {
    return sizes.empty() ? "" : marked(stands_for::shape, where + sizes);
}

std::string sizes_before(Scan& scan) {
    std::string sizes;
    for (;;) {
        const std::string_view size = scan.integer();
        if (size.empty() || size.size() > 9) return "";
        sizes += (sizes.empty() ? "" : ",") + std::string(size);
        Scan next = scan;
        next.blanks();
        if (!next.literal("×") && !next.any("x") && !next.literal("by ")) return sizes;
        next.blanks();
        if (Scan(next).integer().empty()) return sizes;
        scan = next;
    }
}

std::optional<std::string> sizes_of_matrix(std::string_view line) {
    Scan scan(line);
    const std::string sizes = sizes_before(scan);
    if (sizes.empty()) return std::nullopt;
    if (scan.end()) return sizes.find(',') == sizes.npos ? std::nullopt : std::optional(sizes);
    if (line.ends_with("Matrix\"") || line.ends_with("matrix") || line.ends_with(" table") ||
        line.ends_with(" array"))
        return sizes;
    if (!line.ends_with(':') && line.find("×") == line.npos) return std::nullopt;
    // Of vectors in a vector only the first size is stated.
    if (scan.literal("-element ")) return sizes + (line.find("Vector{Vector") == line.npos ? "" : ",?");
    if (!scan.literal(" ") || scan.rest().empty() || !is_letter(scan.rest()[0])) return std::nullopt;
    return sizes;
}

bool is_number_type(std::string_view word) {
    if (word.starts_with("torch.")) word.remove_prefix(6);
    for (const std::string_view type : {"float", "bfloat", "int", "uint", "bool", "f", "bf"})
        if (word.starts_with(type) && word.find_first_not_of("0123456789", type.size()) == word.npos &&
            (type.size() > 2 || word.size() > type.size()))
            return true;
    return false;
}

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

bool is_of_rows_or_columns(std::string_view line) {
    Scan scan(line);
    const std::string_view word = scan.word();
    const bool is_plural =
        (means_rows(word) && word != "row") || (means_columns(word) && word != "col" && word != "column");
    scan.blanks();
    return is_plural && scan.any(":=") && (scan.blanks(), scan.digits()) && scan.end();
}

std::optional<std::string> of_a_shape(std::string_view line) {
    constexpr std::string_view about[] = {"shape", "Shape", "size", "Size", "dims", "ndim", "dtype", "dim"};
    if (const RowsAndColumns stated = rows_and_columns(line); !stated.rows.empty() && !stated.columns.empty())
        return stated_shape('W', stated.rows + "," + stated.columns);
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
    return subject + (is_shape ? stated_shape('W', *sizes) : "");
}

std::optional<std::string> about_the_array(std::string_view line) {
    if (line.starts_with("<xarray.")) return dimensions_in(line);
    if (line.starts_with('<') && line.ends_with('>') && line.find('[') == line.npos) {
        Scan mxnet(line);
        if (mxnet.literal("<NDArray ")) return stated_shape('T', sizes_before(mxnet));
        return "";
    }
    const bool is_of_series = line.starts_with("Name:") || line.starts_with("Length:");
    const std::size_t length = line.find("Length:");
    if (is_of_series && length != line.npos && line.find("dtype:") != line.npos) {
        Scan series(line.substr(length + 7));
        series.blanks();
        return stated_shape('T', std::string(series.integer()));
    }
    if (line.starts_with("dtype:") || (line.starts_with("Name:") && line.find("dtype:") != line.npos))
        return "";
    if (Scan pandas(line); pandas.literal("[")) {
        const std::string rows(pandas.integer());
        if (!rows.empty() && pandas.literal(" rows x "))
            return stated_shape('T', rows + "," + std::string(pandas.integer()));
    }
    if (Scan psql(line); psql.literal("(")) {
        const std::string rows(psql.integer());
        if (!rows.empty() && psql.literal(" row")) return stated_shape('T', rows + ",?");
    }
    if (Scan mysql(line); true) {  // 4 rows in set (0.00 sec)
        const std::string rows(mysql.integer());
        if (!rows.empty() && mysql.literal(" row") && (mysql.any("s"), mysql.literal(" in set")))
            return stated_shape('T', rows + ",?");
    }
    if (Scan candle(line); candle.literal("Tensor[") && (candle.any("["), candle.any("0123456789d")))
        if (const std::size_t type = line.find_last_of(",;");
            line.ends_with(']') && type != line.npos && is_letter(trimmed(line.substr(type + 1))[0])) {
            const std::string_view dims = line.substr(7, type - 7);
            return stated_shape('T', dims.starts_with("dims ") ? sizes_alone(dims.substr(5)).value_or("")
                                                               : sizes_alone(dims).value_or(""));
        }
    if (Scan torch(line); torch.literal("[ ")) {
        torch.literal("Variable[");
        if (torch.word().ends_with("Type") && (torch.any("]"), torch.literal("{"))) {
            const auto sizes = torch.indices("}");
            return sizes ? stated_shape('T', *sizes) : "";
        }
    }
    return std::nullopt;
}

}  // namespace glassbox::tracer
