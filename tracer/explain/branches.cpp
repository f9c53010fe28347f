#include "explain/branches.h"

#include <cstdint>
#include <string_view>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

namespace tracer {

using glassbox::Trace;

std::size_t branches(const Trace& trace) {
    const glassbox::NoRecording silence;  // reading the trace must not add to it
    std::uint64_t all = 14695981039346656037u;
    const auto mix = [&](std::uint64_t branch) { all = (all ^ branch) * 1099511628211u; };  // FNV-1a
    for (const glassbox::Operation& each : trace.operations()) {
        if (const std::string_view op = each.op; op == "relu" || op == "greater")
            for (const glassbox::real y : each.output.values()) mix(y > 0);
        if (std::string_view(each.op) == "abs")
            for (const glassbox::real x : each.inputs[0].values()) mix(x > 0);
        if (std::string_view(each.op) == "clip")
            for (const glassbox::real x : each.inputs[0].values())
                mix(x < each["low"] ? 0 : x > each["high"] ? 2 : 1);
        const bool is_min = std::string_view(each.op) == "min";
        if (is_min || std::string_view(each.op) == "max")
            for (const glassbox::index_t place :
                 glassbox::argmax(is_min ? -each.inputs[0] : each.inputs[0], each.axis()))
                mix(static_cast<std::uint64_t>(place));
    }
    return static_cast<std::size_t>(all);
}

}  // namespace tracer
