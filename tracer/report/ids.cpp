#include "report/ids.h"

#include <string_view>

namespace tracer {

using glassbox::Tensor;
using glassbox::Trace;

namespace {

// Values without a name, and through them the named ones, that choose a row of a table.
void collect_ids(const Trace& trace, const Tensor& y, std::set<Tensor::Id>& looked_at,
                 std::set<Tensor::Id>& ids, bool is_id) {
    if (is_id) ids.insert(y.id());
    const glassbox::Operation* op = trace.operation_of(y);
    if (!op || !looked_at.insert(y.id()).second) return;
    const bool is_embedding = std::string_view(op->op) == "embedding";
    for (std::size_t i = 0; i < op->inputs.size(); ++i)
        collect_ids(trace, op->inputs[i], looked_at, ids, is_id || (is_embedding && i == 1));
}

}  // namespace

std::set<Tensor::Id> ids_in(const Trace& trace) {
    std::set<Tensor::Id> looked_at, ids;
    for (const Trace::Step& step : trace.steps()) collect_ids(trace, step.value, looked_at, ids, false);
    return ids;
}

}  // namespace tracer
