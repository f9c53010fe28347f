#pragma once
#include <optional>
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
    PrintStyle numbers;   // in a file or pipe
    int digits = 4;       // after the point of a matrix's numbers on a terminal
    bool shrinks = true;  // fewer where a row would be broken
    Colors colors = Colors::none;
    ColorScale scale = ColorScale::shared;
    int width = 0;  // of the terminal, at which lines are wrapped; 0: not on a terminal

    bool may_stand_beside = true;  // what belongs together, where a terminal is wide enough

    bool is_on_terminal() const { return width > 0; }
    bool is_wide() const { return may_stand_beside && width >= 80; }
    // Of one of `count` columns of text.
    TextStyle share_of(int count, int gap) const {
        TextStyle share = *this;
        share.width = (width - (count - 1) * gap) / count, share.may_stand_beside = false;
        return share;
    }
    bool has_color() const { return colors != Colors::none; }
};

// UsageError for a --precision that has no effect: JSON and npz have every digit.
void check_precision(const Options& options, const std::string& format);
// From --precision, --color and -o. Without --precision all digits, but four in a terminal's matrices.
TextStyle text_style(std::optional<index_t> precision, ColorWhen color, const std::string& output);

}  // namespace glassbox::tracer

template <>
struct glassbox::EnumWords<glassbox::tracer::ColorScale> {
    static constexpr const char* what = "scale";
    static constexpr Word<glassbox::tracer::ColorScale> all[] = {
        {glassbox::tracer::ColorScale::each, "each"}, {glassbox::tracer::ColorScale::shared, "shared"}};
};
