#pragma once
#include <set>
#include <string>
#include <vector>

#include <glassbox/observe/trace.h>

#include "explain/explainer.h"
#include "report/report.h"

namespace glassbox::tracer {

// Values, named or not, that index the rows of a table, and the labels of a loss: token ids and classes. They
// are integers and have no gradient.
std::set<Tensor::Id> ids_in(const Trace& trace);

// All that these values were computed from, themselves among them.
std::set<Tensor::Id> behind(const Trace& trace, std::vector<Tensor> values);

// The mask that a step's scores were given, from the trace: 0 where a score is hidden, else 1, in the step's
// shape. For `masked` and the `attention` that follows; undefined for other steps and without a mask.
Tensor seen_in(const Trace& trace, const std::string& path);

// Adds every step of a trace: its layer's formula and sentence, a worked example (the first hidden one of
// masked scores, else the first element), and checks.
void add_steps(Report& report, const Trace& trace, const Explainer& explainer);

}  // namespace glassbox::tracer
