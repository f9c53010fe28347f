#pragma once
#include <functional>
#include <string>

#include "explain.h"
#include "legend.h"
#include "report.h"

namespace tracer {

// What there is to say of every step of a trace: `legend` of it and of the path before it, a worked example
// (of masked scores the first hidden one, else the first number), and what is checked.
void add_steps(Report& report, const Trace& trace, const Explainer& explainer,
               const std::function<Legend(const std::string& path, const std::string& before)>& legend);

}  // namespace tracer
