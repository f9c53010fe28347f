#include "report/render.h"

#include <unistd.h>

#include <glassbox/tensor/format.h>

#include "cli/options.h"
#include "cli/output.h"
#include "report/heat.h"

namespace tracer {

TextStyle text_style(const std::string& precision, const std::string& color, const std::string& output) {
    TextStyle style;
    style.numbers.precision = static_cast<int>(whole_number("--precision", precision, 0, 17));
    style.color = wants_color(color, output);
    if (style.color) style.numbers.decorate = &heated;
    return style;
}

std::string format_of(const std::string& format, const std::string& output) {
    const std::string chosen = !format.empty()             ? format
                               : output.ends_with(".npz")  ? "npz"
                               : output.ends_with(".json") ? "json"
                                                           : "text";
    if (chosen == "npz" && (output.empty() || output == "-") && ::isatty(STDOUT_FILENO))
        glassbox::fail<glassbox::UsageError>("--format: npz is not for a terminal: add -o FILE.npz");
    check_ending(chosen, output);
    return chosen;
}

void check_precision(const Options& options, const std::string& format) {
    if (format != "text" && options.given("--precision"))
        glassbox::fail<glassbox::UsageError>("--precision: is of text; {} has every digit", format);
}

std::string render(const Report& report, const std::string& format, const TextStyle& style) {
    if (format == "json") return render_json(report);
    return format == "npz" ? render_npz(report) : render_text(report, style);
}

}  // namespace tracer
