#pragma once
#include <glassbox/io/named_tensors.h>
#include <glassbox/layers/parameters.h>
#include <glassbox/observe/tape.h>

#include "report/report.h"

namespace tracer {

// A training step's first piece as a report with its arithmetic and the gradients of its steps, of copies:
// the parameters change in the update. `parameters` are the model's, `names` those in files.
Report ledger_page(const glassbox::Trace& trace, const glassbox::Tape& tape,
                   const glassbox::NamedTensors& parameters, const glassbox::FileNames& names);

}  // namespace tracer
