#pragma once
#include <string>
#include <vector>

namespace tracer {

// Numbers on an axis: from `low` to `high`, with a few round ones that are written beside it.
struct Scale {
    struct Tick {
        double value;
        std::string text;
    };
    double low = 0, high = 1;
    bool is_logarithmic = false;
    std::vector<Tick> ticks;  // ascending

    // 0 at low, 1 at high; beyond them where the value is.
    double position(double value) const;
};

// Ticks at multiples of 1, 2 or 5 · 10^k, at most `most_ticks` (2 or more). `low` and `high` are finite;
// where they are equal there is room on either side. rounded(): the ends are ticks too; between(): the ends
// stay.
Scale rounded(double low, double high, int most_ticks);
// `least_step` is 1 on an axis of whole numbers.
Scale between(double low, double high, int most_ticks, double least_step = 0);
// Both between 1e-300 and 1e300: ticks at powers of ten, with 2 and 5 between where these are few.
Scale logarithmic(double low, double high, int most_ticks);

}  // namespace tracer
