#pragma once
#include <string>

#include "train/ledger.h"

namespace tracer {

std::string ledger_json(const Ledger& ledger);
// Every STEP and grad/STEP of the first piece; batch/…; weights/NAME, grad/weights/NAME, before/m/NAME and
// before/v/NAME; and the values after the update: after/weights/NAME, after/m/NAME, after/v/NAME.
glassbox::NamedTensors ledger_arrays(const Ledger& ledger);

}  // namespace tracer
