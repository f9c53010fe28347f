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
    const bool is_new = (is_id ? ids : visited).insert(y.id()).second;  // it may be met as both
    const glassbox::Operation* op = trace.operation_of(y);
    if (!op || !is_new) return;
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

std::set<Tensor::Id> behind(const Trace& trace, std::vector<Tensor> values) {
    std::set<Tensor::Id> found;
    while (!values.empty()) {
        const Tensor x = values.back();
        values.pop_back();
        const glassbox::Operation* operation = found.insert(x.id()).second ? trace.operation_of(x) : nullptr;
        for (std::size_t i = 0; operation && i < operation->inputs.size(); ++i)
            values.push_back(operation->inputs[i]);
    }
    return found;
}

}  // namespace tracer
