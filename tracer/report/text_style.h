#pragma once
#include <string>

#include <glassbox/tensor/print.h>
#include <glassbox/tensor/words.h>

#include "cli/output.h"

namespace glassbox::tracer {

// The range of a colour scale: each tensor's or map's own, which keeps small values visible; or one shared by
// all, which makes them comparable.
enum class ColorScale { each, shared };

// The style of a report as text.
struct TextStyle {
    PrintStyle numbers;
    Colors colors = Colors::none;
    ColorScale scale = ColorScale::shared;
    int width = 0;  // columns at which lines are wrapped; 0: never

    bool has_color() const { return colors != Colors::none; }
};

// UsageError for a --precision that has no effect: JSON and npz have every digit.
void check_precision(const Options& options, const std::string& format);
// From --precision, --color and -o.
TextStyle text_style(index_t precision, ColorWhen color, const std::string& output);

}  // namespace glassbox::tracer

template <>
struct glassbox::EnumWords<glassbox::tracer::ColorScale> {
    static constexpr const char* what = "scale";
    static constexpr Word<glassbox::tracer::ColorScale> all[] = {
        {glassbox::tracer::ColorScale::each, "each"}, {glassbox::tracer::ColorScale::shared, "shared"}};
};
