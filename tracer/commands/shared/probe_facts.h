#pragma once
#include <string>
#include <vector>

#include <glassbox/io/numpy.h>
#include <glassbox/observe/trace.h>

#include "commands/shared/named_model.h"

// What is needed to compute a probe's layer in a program of their own.
namespace tracer {

// What the layer is computed with, by name: its sizes and choices, and ε of its norms. As JSON.
std::string probe_options_json(NamedModel& model, const glassbox::Trace& trace);

// What else is needed to compute it by hand: in sentences. `arrays` are the probe's inputs and weights.
std::vector<std::string> probe_facts(NamedModel& model, const glassbox::Trace& trace,
                                     const glassbox::NamedTensors& arrays);

}  // namespace tracer
