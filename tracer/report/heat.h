#pragma once
#include <string>

#include "cli/output.h"
#include "figures/palette.h"
#include "report/report.h"

namespace glassbox::tracer {

// The largest |x| in a tensor, without NaN, infinities and hidden scores.
double largest_visible(const Tensor& x);

// The colours of a tensor's numbers, for PrintStyle::decorate: weights by cividis from 0 to largest, others
// by red_blue from −largest to largest on a square-root scale. Hidden scores are dim, NaN and infinities have
// their own colour, token ids have none. With 16 colours nothing has a background.
struct Heat {
    Report::Kind kind = Report::Kind::number;
    double largest = 1;
    Colors colors = Colors::all;

    std::string operator()(const std::string& text, real value) const;
};

}  // namespace glassbox::tracer
