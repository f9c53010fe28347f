#include "subject/side_by_side.h"

#include "cli/output.h"
#include "subject/model_report.h"

namespace tracer {
namespace {

Report report_of(const Side& side, const std::string& command) {
    Report report = model_report(side.trace, side.subject, side.settings, side.input);
    report.command = command;
    report.label = side.label;
    report.computation =
        std::make_shared<Computation>(computation_of(side.trace, side.subject.parameters().values()));
    return report;
}

}  // namespace

void show_side_by_side(const std::string& command, const Side& first, const Side& second,
                       const std::string& text, const ModelSettings& s) {
    Report report = report_of(first, command);
    report.other = std::make_shared<Report>(report_of(second, command));
    report.title = text.substr(0, text.find('\n'));
    report.footer = text;
    deliver(s.renderer().render(report, s.style()), s.output.string());
}

}  // namespace tracer
