#pragma once
#include <string>

#include <glassbox/tensor/print.h>

#include "cli/color_option.h"
#include "cli/output.h"
#include "figures/color_scale.h"

namespace tracer {

// How a report reads as text.
struct TextStyle {
    glassbox::PrintStyle numbers;
    Colors colors = Colors::none;
    ColorScale scale = ColorScale::shared;
    int width = 0;  // columns after which lines are broken; 0: never

    bool has_color() const { return colors != Colors::none; }
};

// UsageError for a --precision that changes nothing: JSON and npz have every digit.
void check_precision(const Options& options, const std::string& format);
// As --precision, --color and -o ask for.
TextStyle text_style(glassbox::index_t precision, ColorWhen color, const std::string& output);

}  // namespace tracer
