#include "report/render.h"

#include <unistd.h>

#include <algorithm>

#include <glassbox/tensor/format.h>

#include "cli/options.h"
#include "cli/output.h"

namespace tracer {

TextStyle text_style(const std::string& precision, const std::string& color, const std::string& output) {
    TextStyle style;
    style.numbers.precision = static_cast<int>(whole_number("--precision", precision, 0, 17));
    style.numbers.minus_zero = false;
    style.colors = colors_for(color, output);
    style.width = line_width(output);
    if (style.width > 0) style.numbers.width = std::min(style.numbers.width, style.width - 3);
    return style;
}

std::string format_of(const std::string& format, const std::string& output) {
    const std::string chosen = !format.empty()             ? format
                               : output.ends_with(".npz")  ? "npz"
                               : output.ends_with(".json") ? "json"
                                                           : "text";
    if (chosen == "npz" && (output.empty() || output == "-") && ::isatty(STDOUT_FILENO))
        glassbox::fail<glassbox::UsageError>("--format: npz is not for a terminal: add -o FILE.npz");
    return chosen;
}

std::string render(const Report& report, const std::string& format, const TextStyle& style) {
    if (format == "json") return render_json(report);
    return format == "npz" ? render_npz(report) : render_text(report, style);
}

}  // namespace tracer
