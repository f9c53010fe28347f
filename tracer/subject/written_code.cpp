#include "subject/written_marks.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "subject/written_calls.h"
#include "subject/written_scan.h"
#include "subject/written_shape.h"

namespace glassbox::tracer {

namespace {

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

// The number after "nrow = ", at most six digits; none if it is missing.
std::string size_behind(std::string_view text, std::string_view name) {
    const std::size_t at = text.find(name);
    if (at == text.npos) return "";
    Scan scan(text.substr(at + name.size()));
    scan.blanks(), scan.any("="), scan.blanks();
    const std::string_view size = scan.integer();
    return size.size() > 6 ? "" : std::string(size);
}

// The arguments after c(…) without a name: those of matrix(c(…), 3, 2).
std::vector<std::string> sizes_by_place(std::string_view call) {
    std::vector<std::string> sizes;
    for (Scan scan(call); scan.blanks(), scan.any(",)");) {
        scan.blanks();
        const std::string_view size = scan.integer();
        if (size.empty() || size.size() > 6) break;
        scan.any("L");
        sizes.emplace_back(size);
    }
    return sizes;
}

// The sizes that R's structure(c(…), dim = c(3L, 2L)), array(…) or matrix(c(…), nrow = 3, byrow = TRUE)
// states.
struct RSizes {
    std::string sizes = {};
    bool by_row = false;  // else the numbers are column by column
};
RSizes r_sizes(std::string_view call, std::size_t numbers) {
    for (const std::string_view dim : {"dim = ", "Dim = ", "dim=", "Dim=", "), c("})
        if (const std::size_t at = call.find(dim); at != call.npos && (dim[0] != ')' || at == 0))
            return {sizes_in(call.substr(dim[0] == ')' ? 3 : at + dim.size())).value_or("")};
    RSizes found;
    found.by_row = call.find("byrow = T") != call.npos || call.find("byrow=T") != call.npos;
    std::string rows = size_behind(call, "nrow"), columns = size_behind(call, "ncol");
    std::vector<std::string> placed = sizes_by_place(call.substr(std::min<std::size_t>(1, call.size())));
    if (rows.empty() && !placed.empty()) rows = placed[0], placed.erase(placed.begin());
    if (columns.empty() && !placed.empty()) columns = placed[0];
    // R starts over if the numbers do not suffice, and warns: this many do not fit.
    const auto other = [&](const std::string& size) {
        const std::size_t n = std::stoul(size);
        return n > 0 ? std::to_string((numbers + n - 1) / n) : "";
    };
    if (rows.empty() && !columns.empty()) rows = other(columns);
    if (columns.empty() && !rows.empty()) columns = other(rows);
    if (!rows.empty() && !columns.empty()) found.sizes = rows + "," + columns;
    return found;
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
        RSizes stated;
        for (const std::string_view call : {"structure(", "matrix(", "array("}) {
            if (at < done + call.size() || text.compare(at - call.size(), call.size(), call) != 0) continue;
            last = closing_parenthesis(text, at - 1);
            if (last == text.npos) return text;
            from = at - call.size();
            const auto commas = std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                           text.begin() + static_cast<std::ptrdiff_t>(end), ',');
            stated =
                r_sizes(std::string_view(text).substr(end, last - end), static_cast<std::size_t>(commas) + 1);
        }
        keep(done, from);
        if (!stated.sizes.empty() && stated.by_row) out += stated_shape('L', stated.sizes);
        if (!stated.sizes.empty() && !stated.by_row) out += marked(stands_for::by_columns, stated.sizes);
        out += '[';
        keep(at + 2, end);
        out += ']';
        blank(end + 1, last + 1);
        done = last + 1;
    }
    keep(done, text.size());
    return out;
}

// Puts the mark of a declared shape before its line, if it disturbs no name; a second one is ignored. Returns
// by how much what follows moved.
std::size_t declare(std::string& text, std::size_t at, const std::string& sizes) {
    if (sizes.find_first_of("0123456789") == sizes.npos) return 0;
    const std::size_t newline = at == 0 ? text.npos : text.rfind('\n', at - 1);
    const std::size_t begin = newline == text.npos ? 0 : newline + 1;
    if (begin < text.size() && text[begin] == stands_for::shape) return 0;
    const std::string mark = stated_shape('L', sizes);
    text.insert(begin, mark);
    return mark.size();
}

// C++'s types are ignored, except for the sizes that they state: std::vector<std::array<float, 2>> has ?,2.
std::string without_types(std::string text) {
    for (std::size_t at = 0; (at = text.find("std::", at)) != text.npos;) {
        std::size_t end = at + 5;
        while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
        std::vector<std::string> sizes;
        std::vector<std::size_t> open;
        if (end < text.size() && text[end] == '<') {
            do {
                if (text[end] == '<') open.push_back(sizes.size()), sizes.emplace_back("?");
                if (text[end] == '>') open.pop_back();
                const std::string_view number = Scan(std::string_view(text).substr(end)).integer();
                const bool is_of_name = is_letter(text[end - 1]) || is_digit(text[end - 1]);
                if (!number.empty() && !is_of_name && number.size() < 10) sizes[open.back()] = number;
                ++end;
            } while (!open.empty() && end < text.size() && text[end] != '\n');
        }
        text.replace(at, end - at, end - at, ' ');
        std::string list;
        for (const std::string& size : sizes) list += (list.empty() ? "" : ",") + size;
        at = end + declare(text, at, list);
    }
    return text;
}

// Rust's "let x: [[f32; 2]; 3] = " as "let x = ", with its sizes.
std::string without_rust_types(std::string text) {
    for (std::size_t at = 0; (at = text.find(": [", at)) != text.npos; ++at) {
        Scan scan(std::string_view(text).substr(at + 2));
        std::vector<std::string> sizes;
        while (scan.literal("[")) sizes.emplace_back();
        if (scan.word().empty()) continue;
        bool is_type = true;
        for (std::size_t i = sizes.size(); i-- > 0 && is_type;) {
            is_type = scan.any(";") && (scan.blanks(), !(sizes[i] = std::string(scan.integer())).empty()) &&
                      scan.any("]") && sizes[i].size() < 10;
        }
        if (!is_type) continue;
        text.replace(at, scan.at() + 2, scan.at() + 2, ' ');
        std::string list;
        for (const std::string& size : sizes) list += (list.empty() ? "" : ",") + size;
        at += declare(text, at, list);
    }
    return text;
}

// "[3][2]", "[3,2]", "[][2]" at the beginning, as "3,2" or "?,2".
std::string sizes_in_brackets(Scan& scan) {
    std::string sizes;
    while (scan.literal("[")) {
        do {
            const std::string size(scan.integer());
            sizes += (sizes.empty() ? "" : ",") + (size.empty() || size.size() > 9 ? "?" : size);
            scan.blanks();
        } while (scan.any(",") && (scan.blanks(), true));
        if (!scan.literal("]")) return "";
    }
    return sizes;
}

// float values[3][2] = {, float[][] values = {, [3][2]float32{
std::string without_declared_sizes(std::string text) {
    for (std::size_t at = 0; (at = text.find('[', at)) != text.npos;) {
        Scan scan(std::string_view(text).substr(at));
        const std::string sizes = sizes_in_brackets(scan);
        const std::size_t end = at + std::max<std::size_t>(1, scan.at());
        const bool has_size = sizes.find_first_of("0123456789") != sizes.npos;
        const bool is_behind_name = at > 0 && (is_letter(text[at - 1]) || is_digit(text[at - 1]));
        scan.blanks();
        Scan type = scan;
        const bool is_before_type = !type.word().empty();  // Go's [][]float64{
        const bool is_of_go = is_before_type && (!has_size || type.any("{"));
        const bool is_filled = [&] {  // of braces, or later; x[0] = 1 is a number at its index
            if (scan.any("{") || (has_size && scan.any(";"))) return true;
            const bool has_sign = scan.any("=");
            while (scan.blanks() || scan.any("\n")) {
            }
            return has_sign && scan.any("{");
        }();
        const bool is_declared =
            !sizes.empty() && ((is_behind_name && (!has_size || is_filled)) || (!is_behind_name && is_of_go));
        if (!is_declared) {
            at = end;
            continue;
        }
        const bool is_inside = at > 0 && text[at - 1] != ' ' && !is_behind_name;  // of an array's row
        text.replace(at, end - at, end - at, ' ');
        at = end + (is_inside || text[std::min(text.find_last_not_of(' ', at), at)] == ','
                        ? 0
                        : declare(text, at, sizes));
    }
    return text;
}

std::size_t closing_bracket(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t at = open; at < text.size(); ++at) {
        depth += (text[at] == '[') - (text[at] == ']');
        if (depth == 0) return at;
    }
    return text.npos;
}

// Wolfram's calls, Transpose[{{0.5, 1.5}}], in the parentheses of others.
std::string with_round_calls(std::string text) {
    std::size_t left = 1000;  // each is looked for to its end
    for (std::size_t at = 0; left > 0 && (at = text.find("[{", at)) != text.npos; ++at) {
        // Sqrt[N[{: of the inner one first
        const auto is_of_name = [&](std::size_t i) { return is_letter(text[i]) || is_digit(text[i]); };
        for (std::size_t open = at; open > 0 && text[open] == '[' && is_of_name(open - 1);) {
            const std::size_t end = closing_bracket(text, open);
            if (end == text.npos || left == 0) return text;
            text[open] = '(', text[end] = ')', --left;
            do --open;
            while (open > 0 && is_of_name(open));
        }
    }
    return text;
}

// "Out[7]= ", "Out[7]//N= " of Wolfram, which is no declared size, as blanks.
std::string without_wolfram_prompts(std::string text) {
    for (std::size_t at = 0; (at = text.find("Out[", at)) != text.npos; at += 4) {
        Scan scan(std::string_view(text).substr(at + 4));
        if (!scan.digits() || !scan.literal("]")) continue;
        if (scan.literal("//")) scan.word();
        if (scan.literal("=")) text.replace(at, 4 + scan.at(), 4 + scan.at(), ' ');
    }
    return text;
}

// C++'s and Wolfram's braces are brackets.
std::string with_brackets(std::string text) {
    text = without_wolfram_prompts(std::move(text));
    text = without_declared_sizes(without_rust_types(without_types(std::move(text))));
    for (std::size_t at = 0; (at = text.find(":=", at)) != text.npos;) text.replace(at, 2, " =");
    text = with_round_calls(std::move(text));
    std::string plain = text;
    for (std::size_t at = 0; (at = plain.find("::", at)) != plain.npos;) plain.replace(at, 2, "  ");
    if (plain.find_first_of("[\":'") == plain.npos && plain.find('{') != plain.npos)
        for (char& c : text) c = c == '{' ? '[' : c == '}' ? ']' : c;
    return text;
}

// "3,?" of "3,0", where 0 meant -1.
std::string with_unknown(const std::string& sizes) {
    std::string with;
    for (std::size_t at = 0; at < sizes.size(); ++at) {
        const bool is_alone =
            (at == 0 || sizes[at - 1] == ',') && (at + 1 == sizes.size() || sizes[at + 1] == ',');
        with += sizes[at] == '0' && is_alone ? '?' : sizes[at];
    }
    return with;
}

// np.array([…]).reshape(3, 2), x.view(3, -1), and the function: NumPy's reshape([…], (3, 2)), row by row;
// Julia's, MATLAB's and Fortran's, column by column.
std::string with_reshaped(std::string text) {
    for (const std::string_view call : {").reshape(", "].reshape(", ").view(", "].view("})
        for (std::size_t at = 0; (at = text.find(call, at)) != text.npos; ++at) {
            const std::size_t open = at + call.size() - 1, end = closing_parenthesis(text, open);
            if (end == text.npos) break;
            std::string inside = text.substr(open + 1, end - open - 1);
            for (std::size_t sign = 0; (sign = inside.find("-1", sign)) != inside.npos;)
                inside.replace(sign, 2, "0 ");
            auto sizes = sizes_alone(inside);
            if (!sizes || sizes->empty()) continue;  // of another order, or of names: is refused
            text.replace(at + 1, end - at, stated_shape('T', with_unknown(*sizes)));
        }
    for (std::size_t at = 0; (at = text.find("reshape(", at)) != text.npos; ++at) {
        const std::size_t open = at + std::string_view("reshape(").size() - 1,
                          end = closing_parenthesis(text, open);
        const std::size_t list = text.find('[', open);
        if (end == text.npos || list == text.npos || list > end) continue;
        const std::size_t behind = closing_bracket(text, list);
        if (behind == text.npos || behind > end) continue;
        const std::size_t comma = text.find(',', behind);
        const auto sizes = comma < end
                               ? sizes_alone(std::string_view(text).substr(comma + 1, end - comma - 1))
                               : std::nullopt;
        if (!sizes || sizes->empty() || (at > 0 && (is_letter(text[at - 1]) || is_digit(text[at - 1]))))
            continue;
        const bool is_by_row = at > 0 && text[at - 1] == '.';
        std::size_t begin = at;
        while (begin > 0 && (is_letter(text[begin - 1]) || text[begin - 1] == '.')) --begin;
        const std::string array = text.substr(list, behind + 1 - list);
        text.replace(
            begin, end + 1 - begin,
            (is_by_row ? stated_shape('L', *sizes) : marked(stands_for::by_columns, *sizes)) + array);
    }
    return text;
}

}  // namespace

std::string with_plain_code(std::string text) { return with_brackets(with_reshaped(with_r_calls(text))); }

}  // namespace glassbox::tracer
