#include "subject/written_labels.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

#include "subject/written_text.h"

namespace glassbox::tracer {

namespace {

// "query\key" and "query/key" in the corner name the rows and the columns.
std::pair<std::string, std::string> parts_of_corner(const std::string& corner) {
    const std::size_t mark = corner.find_first_of("\\/");
    if (mark == corner.npos) return {corner, ""};
    return {corner.substr(0, mark), corner.substr(mark + 1)};
}

std::vector<std::string> words_of_label(const std::string& label) {
    std::vector<std::string> words;
    for (std::size_t at = 0; (at = label.find_first_not_of(' ', at)) != label.npos;) {
        const std::size_t end = std::min(label.find(' ', at), label.size());
        words.push_back(label.substr(at, end - at));
        at = end;
    }
    return words;
}

// The places of names along an axis: by their numbers where they count, else as they come.
std::vector<std::string> names_along(const std::vector<std::string>& all) {
    std::vector<std::string> names;
    for (const std::string& name : all)
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    if (stem_of(names).empty()) return names;
    const auto number = [](const std::string& name) {
        return std::stoi(name.substr(name.find_last_not_of("0123456789") + 1));
    };
    std::sort(names.begin(), names.end(),
              [&](const std::string& a, const std::string& b) { return number(a) < number(b); });
    return names;
}

// x1000 and mV, of which a number is a thousand times the one that is meant, or a thousandth.
bool is_scale(std::string_view word) {
    for (const std::string_view sign : {"x", "X", "×"})
        if (word.size() > sign.size() + 1 && word.starts_with(sign)) {
            const std::string_view factor = word.substr(sign.size());
            if (factor[0] == '1' && factor.find_first_not_of("0e", 1) == factor.npos) return true;
        }
    for (const std::string_view unit :
         {"mV", "µV", "kV", "mA", "µA", "ms",  "us",  "µs",  "ns",      "mm",  "cm",        "km",      "nm",
          "mg", "kg", "kW", "MW", "GW", "kHz", "MHz", "GHz", "percent", "pct", "thousands", "millions"})
        if (word == unit) return true;
    return false;
}

// Of a row or a column computed from the others.
bool is_total(const std::string& word) {
    std::string lower = word;
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    for (const char* total : {"sum", "total", "totals", "mean", "average", "avg", "all", "margin", "summe",
                              "somme", "suma", "∑", "Σ", "σ"})
        if (lower == total) return true;
    return false;
}

}  // namespace

AxisNames axes_of_table(const TableWords& words, std::size_t columns) {
    std::string of_rows, of_columns;
    std::vector<std::string> names = words.header;
    if (words.header.size() == columns + 1) {  // as to_csv of pandas writes it, and R
        of_rows = words.header[0];
        names.erase(names.begin());
        if (words.above.size() == 1) of_columns = words.above[0];
    } else if (words.header.size() == 1 && words.above.size() == columns + 1) {  // as pandas prints it
        of_rows = words.header[0], of_columns = words.above[0];
        names = {words.above.begin() + 1, words.above.end()};
    } else if (words.header.size() == 1 && words.above.size() == columns && columns > 1) {
        of_rows = words.header[0];
        names = words.above;
    } else if (words.header.empty() && !words.below_corner.empty()) {
        of_rows = words.below_corner, of_columns = words.corner;
    } else if (words.header.empty()) {
        of_rows = words.corner;
    }
    if (of_columns.empty()) std::tie(of_rows, of_columns) = parts_of_corner(of_rows);
    if (const std::string stem = stem_of(words.labels); is_axis_name(stem)) {
        // Above rows q0, q1, "key" is the columns' name: pandas prints it there.
        if (!order_of_axes({of_rows, stem}).empty() || !order_of_axes({stem, of_rows}).empty())
            if (!is_axis_name(of_columns)) of_columns = of_rows;
        of_rows = stem;
    } else if (!is_axis_name(of_rows)) {
        of_rows = "";
    }
    if (!is_axis_name(of_columns)) of_columns = names.size() == columns ? stem_of(names) : "";
    if (of_rows.empty() && of_columns.empty()) return {};
    return {of_rows, of_columns};
}

std::string question_of_two_orders(const std::vector<std::string>& rows,
                                   const std::vector<std::string>& columns) {
    if (rows == columns || rows.size() < 2 || rows.size() != columns.size()) return "";
    std::vector<std::string> a = rows, b = columns;
    std::sort(a.begin(), a.end()), std::sort(b.begin(), b.end());
    if (a != b) return "";
    return fmt::format("the rows are named {}, and the columns {}: submit them in one order",
                       printable(fmt::format("{}", fmt::join(rows, ", ")), 60),
                       printable(fmt::format("{}", fmt::join(columns, ", ")), 60));
}

std::string question_of_scale(const std::vector<std::string>& header, std::size_t columns) {
    if (columns < 2 || header.size() != 2 * columns || !is_scale(header[1])) return "";
    for (std::size_t i = 1; i < header.size(); i += 2)
        if (header[i] != header[1]) return "";
    return fmt::format(
        "the header says ({}) of each column: submit the numbers without it, and not multiplied",
        printable(header[1]));
}

std::vector<OtherReading> readings_without_totals(const WrittenRows& rows,
                                                  const std::vector<std::string>& header) {
    WrittenRows kept = rows;
    std::vector<std::string> left_out;
    if (rows.size() > 1 && is_total(rows.back().label) && !is_total(rows.front().label)) {
        left_out.push_back("row");
        kept.pop_back();
    }
    const std::size_t width = rows[0].numbers.size();
    if (width > 1 && header.size() >= width && is_total(header.back()) && !is_total(header[0])) {
        left_out.push_back("column");
        for (WrittenRow& row : kept) row.numbers.pop_back();
    }
    if (left_out.empty()) return {};
    const SubmittedArray array = matrix_of("", kept);
    return {{array.value, array.half_width,
             fmt::format("the last {}, named {}, is left out", fmt::join(left_out, " and "),
                         printable(left_out[0] == "row" ? rows.back().label : header.back()))}};
}

std::vector<OtherReading> readings_by_labels(const WrittenRows& rows,
                                             const std::vector<std::string>& header) {
    constexpr std::size_t min_axes = 2;
    const std::size_t axes = words_of_label(rows[0].label).size();
    if (axes < min_axes) return {};
    std::vector<std::vector<std::string>> columns(axes);  // of words
    for (const WrittenRow& row : rows) {
        const std::vector<std::string> words = words_of_label(row.label);
        if (words.size() != axes || row.numbers.size() != 1) return {};
        for (std::size_t i = 0; i < axes; ++i) columns[i].push_back(words[i]);
    }
    std::vector<std::vector<index_t>> indices(rows.size());
    AxisNames names;
    std::string question;
    std::vector<std::string> first;
    for (std::size_t i = 0; i < axes; ++i) {
        const std::vector<std::string> along = names_along(columns[i]);
        if (along.size() < 2) return {};
        for (std::size_t row = 0; row < rows.size(); ++row)
            indices[row].push_back(std::find(along.begin(), along.end(), columns[i][row]) - along.begin());
        names.push_back(header.size() >= axes ? header[i] : stem_of(along));
        if (i + 2 == axes) first = along;
        if (i + 1 == axes) question = question_of_two_orders(first, along);
    }
    std::vector<WrittenNumber> numbers;
    for (const WrittenRow& row : rows) numbers.push_back(row.numbers[0]);
    Indexed found = array_at_indices("", indices, numbers);
    if (!found.why.empty()) return {};
    OtherReading reading{std::move(found.array.value), std::move(found.array.half_width),
                         fmt::format("the first {} columns are taken as names of rows and columns", axes),
                         question};
    reading.axes = std::move(names);
    return {reading};
}

}  // namespace glassbox::tracer
