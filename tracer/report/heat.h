#pragma once
#include <string>

#include "cli/output.h"
#include "figures/palette.h"
#include "report/report.h"

namespace tracer {

// The largest size among a tensor's numbers that a scale has to show: not NaN, not infinite, not hidden.
double largest_visible(const Tensor& x);

// The colours of a tensor's numbers, for PrintStyle::decorate: weights by cividis from 0 to 1, others by
// red_blue from −most to most, by the root of their size. A hidden score is dim, NaN and infinity have a
// colour of their own, numbers of words have none. With 16 colours nothing gets a background.
struct Heat {
    Report::Kind kind = Report::Kind::number;
    double most = 1;
    Colors colors = Colors::all;

    std::string operator()(const std::string& text, real value) const;
};

}  // namespace tracer
