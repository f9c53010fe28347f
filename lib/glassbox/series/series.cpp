#include <glassbox/series/series.h>

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

// The first row at which every column has had a value.
index_t first_complete_row(const std::vector<std::string>& columns, const std::vector<double>& measured) {
    const std::size_t width = columns.size();
    std::size_t first = 0;
    for (std::size_t c = 0; c < width; ++c) {
        std::size_t at = c;
        while (at < measured.size() && std::isnan(measured[at])) at += width;
        if (at >= measured.size()) fail("column '{}' has no value", columns[c]);
        first = std::max(first, at / width);
    }
    return static_cast<index_t>(first);
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
        fail("series: whole rows of {} columns needed, got {} values", width, measured.size());
    const index_t first = first_complete_row(columns, measured);
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
    if (first > 0)
        series.notes.push_back(
            fmt::format("begins at {}: before, a column has no value yet", series.times.name(0)));
    for (index_t c = 0; c < width; ++c)
        if (std::string note = note_on_missing(series, c); !note.empty()) series.notes.push_back(note);
    return series;
}

}  // namespace glassbox
