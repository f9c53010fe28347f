#include <glassbox/series/read_series.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include <glassbox/io/detail/file.h>
#include <glassbox/io/detail/numbers.h>
#include <glassbox/io/detail/text.h>
#include <glassbox/series/detail/csv.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

using Row = std::vector<std::string>;

// The places of the chosen columns in a row.
struct Places {
    std::size_t time = 0;
    std::vector<std::size_t> values{};
};

std::size_t place_of(const std::string& file, const Row& header, const std::string& column) {
    const auto found = std::find(header.begin(), header.end(), column);
    if (found == header.end())
        fail<FileError>("{}: no column '{}'; there are {}", file, printable(column),
                        printable(fmt::format("{}", fmt::join(header, ", "))));
    if (std::find(found + 1, header.end(), column) != header.end())
        fail<FileError>("{}: two columns are named '{}'", file, printable(column));
    return static_cast<std::size_t>(found - header.begin());
}

Places places_of(const std::string& file, const Row& header, const SeriesColumns& columns) {
    Places places;
    if (!columns.time.empty()) places.time = place_of(file, header, columns.time);
    for (const std::string& column : columns.values) {
        places.values.push_back(place_of(file, header, column));
        if (places.values.back() == places.time)
            fail<FileError>("{}: column '{}' holds the times, not values", file, printable(column));
    }
    if (columns.values.empty())
        for (std::size_t i = 0; i < header.size(); ++i)
            if (i != places.time) places.values.push_back(i);
    if (places.values.empty())
        fail<FileError>("{}: line 1: a column of times and one of values or more expected, got '{}'", file,
                        printable(fmt::format("{}", fmt::join(header, ", "))));
    return places;
}

bool is_moment(const std::string& cell) {
    try {
        parse_moment(cell);
        return true;
    } catch (const Error&) {
        return false;
    }
}

bool is_missing(std::string cell) {
    std::transform(cell.begin(), cell.end(), cell.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return cell.empty() || cell == "na" || cell == "nan" || cell == "null";
}

// With semicolons between the cells a comma is the decimal point.
std::string with_decimal_point(std::string cell, bool has_decimal_comma) {
    if (has_decimal_comma && std::count(cell.begin(), cell.end(), ',') == 1)
        std::replace(cell.begin(), cell.end(), ',', '.');
    return cell;
}

// A cell's number; NaN for a missing one.
double number_of(const std::string& file, index_t line, const std::string& column, const std::string& written,
                 bool has_decimal_comma) {
    if (is_missing(written)) return std::numeric_limits<double>::quiet_NaN();
    const std::string cell = with_decimal_point(written, has_decimal_comma);
    const std::optional<double> number = number_in(std::string_view(cell).substr(cell[0] == '+' ? 1 : 0));
    if (!number || !(std::abs(*number) <= std::numeric_limits<float>::max()))
        fail<FileError>("{}: line {}, column '{}': a number expected, got '{}'", file, line,
                        printable(column), printable(written, 60));
    return *number;
}

Moment moment_of(const std::string& file, index_t line, const std::string& column, const std::string& cell,
                 const std::vector<Moment>& before, bool has_decimal_comma) {
    try {
        const Moment moment = parse_moment(with_decimal_point(cell, has_decimal_comma));
        if (!before.empty() && before[0].unit != moment.unit)
            fail("a time like {} expected, as in the first row, got '{}'", written(before[0]),
                 printable(cell, 60));
        return moment;
    } catch (const Error& error) {
        fail<FileError>("{}: line {}, column '{}': {}", file, line, printable(column), error.what());
    }
}

// The rows of a file as they are: times, and the values, NaN where one is missing.
struct Table {
    std::vector<std::string> columns;
    std::vector<Moment> moments{};
    std::vector<index_t> lines{};
    std::vector<double> values{};  // row-major
};

Table table_of(const std::string& file, CsvReader& csv, const SeriesColumns& chosen) {
    const std::optional<Row> header = csv.next();
    if (!header) fail<FileError>("{}: is empty: a header and a row for each time expected", file);
    if (is_moment(header->front()))
        fail<FileError>("{}: line {}: a header that names the columns expected, got '{}'", file, csv.line(),
                        printable(header->front(), 60));
    const Places places = places_of(file, *header, chosen);
    const bool has_comma = csv.separator() == ';';
    Table table;
    for (const std::size_t place : places.values) table.columns.push_back(printable((*header)[place]));
    while (const std::optional<Row> row = csv.next()) {
        if (row->size() != header->size())
            fail<FileError>("{}: line {}: {} cells, and the header has {}", file, csv.line(), row->size(),
                            header->size());
        table.moments.push_back(moment_of(file, csv.line(), (*header)[places.time], (*row)[places.time],
                                          table.moments, has_comma));
        table.lines.push_back(csv.line());
        for (const std::size_t place : places.values)
            table.values.push_back(number_of(file, csv.line(), (*header)[place], (*row)[place], has_comma));
    }
    if (table.moments.empty()) fail<FileError>("{}: a header, but no row with a time and values", file);
    return table;
}

// The rows at their places on an even grid; NaN where there is none.
std::vector<double> on_grid(const Table& table, const std::vector<index_t>& rows) {
    const std::size_t width = table.columns.size(), length = static_cast<std::size_t>(rows.back()) + 1;
    // A single row far away must not cost memory without end.
    if (length > 100 * rows.size() + 1000)
        fail("{} rows cover {} evenly spaced times: more than 100 for each", rows.size(), length);
    std::vector<double> grid(length * width, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::copy_n(table.values.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                    grid.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(rows[i]) * width));
    return grid;
}

}  // namespace

Series read_series(const std::filesystem::path& path, const SeriesColumns& columns) {
    const std::string file = display_name(path);
    const Bytes bytes = read_file(path);
    CsvReader csv(file, as_text(bytes));
    const Table table = table_of(file, csv, columns);
    try {
        const Spacing spacing = spacing_of(table.moments, table.lines);
        Series series = filled_series(file, table.columns, spacing.times, on_grid(table, spacing.rows));
        const index_t absent = spacing.rows.back() + 1 - static_cast<index_t>(spacing.rows.size());
        if (absent > 0)
            series.notes.insert(series.notes.begin(),
                                fmt::format("{} of {} times have no row", absent, spacing.rows.back() + 1));
        return series;
    } catch (const FileError&) {
        throw;
    } catch (const Error& error) {
        fail<FileError>("{}: {}", file, error.what());
    }
}

}  // namespace glassbox
