#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include <glassbox/series/series.h>

namespace glassbox {

struct SeriesColumns {
    std::string time;                 // the column of times; empty: the first
    std::vector<std::string> values;  // the columns of values; empty: all others
};

// A series from a CSV file: a header that names the columns, then a row for each time, in order.
//
// * Cells are separated by commas, semicolons or tabs, as in the header; they may be quoted ("" is a quote),
//   lines may end in CRLF, a byte order mark and blank lines are skipped. With semicolons a decimal comma is
//   read as a point.
// * Times are what parse_moment reads, evenly spaced (spacing_of). Rows that are not there, and cells that
// are
//   empty or NA, NaN or null, are missing values: see filled_series. The series' notes count them.
//
// Throws IoError when reading fails, and FileError with file, line and column for everything else.
Series read_series(const std::filesystem::path& path, const SeriesColumns& columns = {});

}  // namespace glassbox
