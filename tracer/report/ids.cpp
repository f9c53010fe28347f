#include "report/ids.h"

#include <string_view>

#include <glassbox/train/loss.h>

namespace tracer {

using glassbox::Tensor;
using glassbox::Trace;

namespace {

// Follows operations back from y; everything that an embedding's index depends on is an id.
void collect_ids(const Trace& trace, const Tensor& y, std::set<Tensor::Id>& visited,
                 std::set<Tensor::Id>& ids, bool is_id) {
    if (is_id) ids.insert(y.id());
    const glassbox::Operation* op = trace.operation_of(y);
    if (!op || !visited.insert(y.id()).second) return;
    const bool is_embedding = std::string_view(op->op) == "embedding";
    for (std::size_t i = 0; i < op->inputs.size(); ++i)
        collect_ids(trace, op->inputs[i], visited, ids, is_id || (is_embedding && i == 1));
}

}  // namespace

std::set<Tensor::Id> ids_in(const Trace& trace) {
    std::set<Tensor::Id> visited, ids;
    for (const Trace::Step& step : trace.steps())
        collect_ids(trace, step.value, visited, ids, step.info == &glassbox::steps::loss::labels);
    return ids;
}

}  // namespace tracer
