#pragma once
#include <string>

#include "cli/output.h"
#include "figures/palette.h"
#include "report/report.h"

namespace glassbox::tracer {

// The largest |x| in a tensor, without NaN, infinities and hidden scores.
double largest_visible(const Tensor& x);

// Where a finite number lies on its palette, 0 to 1: weights on cividis from 0 to largest, others on red_blue
// from −largest to largest on a square-root scale.
struct HeatPlace {
    Palette palette;
    double position;
};
HeatPlace heat_place(Report::Kind kind, double largest, real value);

// The colours of a tensor's numbers, for PrintStyle::decorate, by heat_place(). Hidden scores are dim, NaN
// and infinities have their own colour, token ids have none. With 16 colours nothing has a background.
struct Heat {
    Report::Kind kind = Report::Kind::number;
    double largest = 1;
    Colors colors = Colors::all;

    std::string operator()(const std::string& text, real value) const;
};

}  // namespace glassbox::tracer
