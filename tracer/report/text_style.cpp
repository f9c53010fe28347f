#include "report/text_style.h"

#include <algorithm>

#include "cli/options.h"

namespace glassbox::tracer {

TextStyle text_style(index_t precision, ColorWhen color, const std::string& output) {
    TextStyle style;
    style.numbers.precision = static_cast<int>(precision);
    style.numbers.minus_zero = false;
    style.colors = colors_for(color, output);
    style.width = line_width(output);
    if (style.width > 0) style.numbers.width = std::min(style.numbers.width, style.width - 3);
    return style;
}

void check_precision(const Options& options, const std::string& format) {
    if (format != "text" && options.given("--precision"))
        fail<UsageError>("--precision: applies to text only; {} has every digit", format);
}

}  // namespace glassbox::tracer
