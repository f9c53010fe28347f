#include "train/ledger_page.h"

#include <fmt/format.h>

#include "report/ids.h"
#include "report/step_reports.h"

namespace tracer {
namespace {

Tensor on_host(const Tensor& tensor) {
    return Tensor(tensor.shape(), tensor.to(glassbox::Device::cpu).values());
}

}  // namespace

Report ledger_page(const glassbox::Trace& trace, const glassbox::Tape& tape,
                   const glassbox::NamedTensors& parameters, const glassbox::FileNames& names) {
    Report report;
    report.command = "train";
    add_steps(report, trace, Explainer(trace, 4, parameters));
    const Tensor& loss = trace["loss"];
    auto computation = std::make_shared<Computation>(computation_of(trace, parameters, loss));
    for (Computation::Node& node : computation->nodes)
        if (node.kind == Computation::Kind::parameter) node.tensor = on_host(node.tensor);
    report.computation = computation;
    report.scalar_gradient = static_cast<double>(tape.gradient(loss).item());
    report.scalar =
        fmt::format("loss / {:.10g}", 1 / report.scalar_gradient);  // the batch's elements that count
    report.scalar_value = static_cast<double>(loss.item()) * report.scalar_gradient;
    const std::set<Tensor::Id> ids = ids_in(trace);
    for (Report::Step& step : report.steps)
        if (!ids.count(trace[step.path].id())) step.gradient = on_host(tape.gradient(trace[step.path]));
    for (const auto& [name, value] : parameters)
        report.parameters.push_back({names.of(name), name, on_host(value), {}, {}});
    return report;
}

}  // namespace tracer
