#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <glassbox/series/series.h>

namespace glassbox {

// The names of the choices below in messages: the command has options for them.
struct SeriesWords {
    std::string time = "SeriesColumns::time", values = "SeriesColumns::values",
                times_as = "SeriesColumns::times_as", missing = "SeriesColumns::missing";
};

struct SeriesColumns {
    std::string time{};                 // the column of times; empty: the first that is one
    std::vector<std::string> values{};  // the columns of values; empty: all others
    TimesAs times_as = TimesAs::automatic;
    // Cells that mark a missing value: "-999", "n.a.". If not set, numbers of nines far from all others of
    // their column do, and the notes report it; with an empty list none.
    std::optional<std::vector<std::string>> missing{};
    SeriesWords words{};
};

// A series from a CSV file: a header that names the columns, then a row for each time, in order.
//
// * Cells are separated by commas, semicolons or tabs, as in the header; they may be quoted ("" is a quote),
//   lines may end in CRLF, a byte order mark and blank lines are skipped. With semicolons a decimal comma is
//   read as a point.
// * Times are what parse_moment reads, evenly spaced (spacing_of). A first column that only counts the rows
//   (R's and pandas' names of rows) is left out where another one has dates.
// * Rows that are not there, and cells that are empty or NA, NaN or null, are missing values (filled_series);
//   so are those of `missing`, and ".", "..", "-", "?", "N/A", "#N/A" and their like, which the notes count.
// * A line sep=; and lines that begin with # before the header are skipped.
//
// Throws IoError when reading fails, and FileError with file, line and column for everything else.
Series read_series(const std::filesystem::path& path, const SeriesColumns& columns = {});

}  // namespace glassbox
