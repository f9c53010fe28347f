#include "cli/output.h"
#include "cli/text_width.h"
#include "report/renderer.h"
#include "report/text_report.h"

// The report as text: steps, formulas, arrays and checks (docs/notation.md).
namespace glassbox::tracer::formats {
namespace {

// Its command on a line of its own where it would be cut.
std::string with_whole_command(const std::string& advice, int width) {
    const std::size_t at = width_of(advice) > width ? advice.find(": tracer ") : advice.npos;
    return at == advice.npos ? advice : advice.substr(0, at + 1) + "\n  " + advice.substr(at + 2);
}

std::string render(const Report& report, const TextStyle& style) {
    std::string text = render_header(report, style) + render_steps(report, style);
    if (const std::string table = render_parameters(report, style); !table.empty()) text += "\n" + table;
    if (!report.footer.empty()) text += "\n" + wrapped(report.footer, style.width) + "\n";
    if (!report.advice.empty() && style.is_on_terminal())
        text += "\n" +
                styled(wrapped(with_whole_command(report.advice, style.width), style.width), dim,
                       style.has_color()) +
                "\n";
    return text;
}

}  // namespace

Renderer text() { return {10, "text", {}, false, render}; }

}  // namespace glassbox::tracer::formats
