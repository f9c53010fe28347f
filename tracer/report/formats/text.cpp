#include "cli/output.h"
#include "cli/text_width.h"
#include "report/renderer.h"
#include "report/text_report.h"

// The report as text: steps, formulas, arrays and checks (docs/notation.md).
namespace glassbox::tracer::formats {
namespace {

std::string render(const Report& report, const TextStyle& style) {
    std::string text = render_header(report, style) + render_steps(report, style);
    if (const std::string table = render_parameters(report, style); !table.empty()) text += "\n" + table;
    if (!report.footer.empty()) text += "\n" + wrapped(report.footer, style.width) + "\n";
    if (!report.advice.empty() && style.is_on_terminal())
        text += "\n" + styled(wrapped(report.advice, style.width), dim, style.has_color()) + "\n";
    return text;
}

}  // namespace

Renderer text() { return {10, "text", {}, false, render}; }

}  // namespace glassbox::tracer::formats
