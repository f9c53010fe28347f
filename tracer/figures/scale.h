#pragma once
#include <string>
#include <vector>

namespace glassbox::tracer {

// The range of an axis, with labelled ticks at round numbers.
struct Scale {
    struct Tick {
        double value;
        std::string text;
    };
    double low = 0, high = 1;
    bool is_logarithmic = false;
    std::vector<Tick> ticks;  // ascending

    // 0 at low, 1 at high; extrapolates outside.
    double position(double value) const;
};

// Ticks at multiples of 1, 2 or 5 · 10^k, at most `max_ticks` (2 or more). `low` and `high` are finite; where
// they are equal the range is widened. rounded() rounds the ends outwards to ticks; between() keeps them.
Scale rounded(double low, double high, int max_ticks);
// `min_step` is 1 on an axis of integers.
Scale between(double low, double high, int max_ticks, double min_step = 0);
// Both between 1e-300 and 1e300: ticks at powers of ten, with 2 and 5 between where these are few.
Scale logarithmic(double low, double high, int max_ticks);

}  // namespace glassbox::tracer
