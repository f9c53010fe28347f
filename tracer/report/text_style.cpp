#include "report/text_style.h"

#include "cli/options.h"

namespace glassbox::tracer {

TextStyle text_style(std::optional<index_t> precision, ColorWhen color, const std::string& output) {
    TextStyle style;
    if (precision) style.numbers.precision = style.digits = static_cast<int>(*precision);
    style.shrinks = !precision;
    style.numbers.minus_zero = false;
    style.colors = colors_for(color, output);
    style.width = line_width(output);
    return style;
}

void check_precision(const Options& options, const std::string& format) {
    if (format != "text" && options.given("--precision"))
        fail<UsageError>("--precision: applies to text only; {} has every digit", format);
}

}  // namespace glassbox::tracer
