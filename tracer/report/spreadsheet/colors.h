#pragma once
#include <string>
#include <vector>

namespace glassbox::tracer::spreadsheet {

// The colours of a workbook, as RRGGBB. Those of numbers are the palettes of figures and terminal.
constexpr const char *input_color = "FFF2CC", *list_color = "EDEDED", *hidden_color = "D9D9D9",
                     *line_color = "D9D9D9";

struct ColorStop {
    double value;
    std::string color;
};
// Between which a scale's colours change evenly: of signed numbers up to `largest`, light enough for black
// text; of weights if that is 0.
std::vector<ColorStop> color_stops(double largest);

// Weights below are so dark that their numbers are white.
double dark_weights_below();

}  // namespace glassbox::tracer::spreadsheet
