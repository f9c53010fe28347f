#include <glassbox/series/series.h>

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/format.h>
#include <glassbox/tensor/words.h>

namespace glassbox {
namespace {

// The row of each column's first value.
std::vector<index_t> first_rows(const std::vector<std::string>& columns,
                                const std::vector<double>& measured) {
    const std::size_t width = columns.size();
    std::vector<index_t> rows;
    for (std::size_t c = 0; c < width; ++c) {
        std::size_t at = c;
        while (at < measured.size() && std::isnan(measured[at])) at += width;
        if (at >= measured.size()) fail("column '{}' has no value", columns[c]);
        rows.push_back(static_cast<index_t>(at / width));
    }
    return rows;
}

// Rows that one late column takes from all others are reported with its name.
std::string note_on_late_columns(const Series& series, const std::vector<index_t>& first_rows,
                                 index_t first) {
    std::vector<std::string> late;
    for (std::size_t c = 0; c < first_rows.size(); ++c)
        if (first_rows[c] == first) late.push_back(series.columns[c]);
    return fmt::format("begins at {}, the first value of {}: {} before it {} left out", series.times.name(0),
                       fmt::join(late, ", "), counted(first, "row"), first == 1 ? "is" : "are");
}

// How many values of a column are missing, and where the longest run of them begins.
std::string note_on_missing(const Series& series, index_t column) {
    index_t missing = 0, run = 0, longest = 0, end_of_longest = 0;
    for (index_t t = 0; t < series.length(); ++t) {
        run = series.known.at({t, column}) != 0 ? 0 : run + 1;
        missing += run > 0;
        if (run > longest) longest = run, end_of_longest = t;
    }
    if (missing == 0) return "";
    return fmt::format(
        "{}: {} of {} values missing, at most {} in a row, from {}: each is the last known one",
        series.columns[static_cast<std::size_t>(column)], missing, series.length(), longest,
        series.times.name(end_of_longest - longest + 1));
}

}  // namespace

Series filled_series(std::string source, std::vector<std::string> columns, TimeAxis times,
                     const std::vector<double>& measured) {
    const auto width = static_cast<index_t>(columns.size());
    if (width < 1 || measured.size() % columns.size() != 0)
        fail("series: needs whole rows of {} columns, got {} values", width, measured.size());
    const std::vector<index_t> begins = first_rows(columns, measured);
    const index_t first = *std::max_element(begins.begin(), begins.end());
    const index_t length = static_cast<index_t>(measured.size()) / width - first;
    std::vector<real> values, known;
    for (auto at = static_cast<std::size_t>(first * width); at < measured.size(); ++at) {
        const bool is_known = !std::isnan(measured[at]);
        // A column's first value may lie before the first complete row.
        const bool is_first_row = values.size() < columns.size();
        std::size_t from = at;
        while (!is_known && is_first_row && std::isnan(measured[from])) from -= columns.size();
        values.push_back(is_known || is_first_row ? static_cast<real>(measured[from])
                                                  : values[values.size() - columns.size()]);
        known.push_back(is_known ? real(1) : real(0));
    }
    Series series{std::move(source), std::move(columns), times, Tensor({length, width}, values),
                  Tensor({length, width}, known)};
    series.times.first += times.step * static_cast<double>(first);
    if (first > 0) series.notes.push_back(note_on_late_columns(series, begins, first));
    for (index_t c = 0; c < width; ++c)
        if (std::string note = note_on_missing(series, c); !note.empty()) series.notes.push_back(note);
    return series;
}

}  // namespace glassbox
