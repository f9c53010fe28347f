#pragma once
#include <string>
#include <vector>

#include <glassbox/series/times.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// A time series: c values at each of T evenly spaced times.
struct Series {
    std::string source;                // "generated", or the file it comes from
    std::vector<std::string> columns;  // c names
    TimeAxis times;
    Tensor values;                     // (T, c); a missing value is the last known one before it
    Tensor known;                      // (T, c), 1 where a value was measured, 0 where it is such a copy
    std::vector<std::string> notes{};  // what was missing, for the reader

    index_t length() const { return values.size(0); }
    index_t width() const { return values.size(1); }
};

// Missing values, NaN in `measured` (T, c), become the last known value of their column. A copy of the past,
// unlike an interpolation, does not look ahead; it is an input only, and counts in no loss and no error. Rows
// before every column has had a value are removed. Throws Error for a column without a value.
Series filled_series(std::string source, std::vector<std::string> columns, TimeAxis times,
                     const std::vector<double>& measured);

}  // namespace glassbox
