#include "report/hidden_scores.h"

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "report/report.h"

namespace tracer {

glassbox::Tensor seen_in(const glassbox::Trace& trace, const std::string& path) {
    const std::string name = last_part(path);
    if (name != "masked" && name != "attention") return {};
    std::string masked = path;  // "encoder/0/masked#2" for "encoder/0/attention#2"
    masked.replace(path.rfind(name), name.size(), "masked");
    if (!trace.contains(masked)) return {};
    const glassbox::Tensor& scores = trace[masked];
    const glassbox::Operation* op = trace.operation_of(scores);
    if (!op || std::string_view(op->op) != "masked_fill") return {};
    const glassbox::NoRecording silence;  // reading the trace must not add to it
    return glassbox::broadcast_to(op->inputs[1], scores.shape());
}

}  // namespace tracer
