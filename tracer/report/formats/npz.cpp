#include <glassbox/io/numpy.h>

#include "report/renderer.h"

// The bytes of an .npz: an array for each step, keyed by its path; gradients as "grad/PATH", those of
// inputs as "grad/NAME", of parameters as "grad/weights/NAME".
namespace glassbox::tracer::formats {
namespace {

std::string render(const Report& report, const TextStyle&) {
    NamedTensors arrays;
    for (const Report::Step& step : report.steps) arrays.emplace_back(step.path, step.value);
    for (const Report::Step& step : report.steps)
        if (step.gradient.defined()) arrays.emplace_back("grad/" + step.path, step.gradient);
    for (const Report::Parameter& each : report.inputs)
        arrays.emplace_back("grad/" + each.name, each.gradient);
    for (const Report::Parameter& each : report.parameters)
        arrays.emplace_back("grad/weights/" + each.name, each.gradient);
    const Bytes bytes = format_npz(arrays);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

Renderer npz() { return {30, "npz", {".npz"}, true, render}; }

}  // namespace glassbox::tracer::formats
