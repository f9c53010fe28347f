#pragma once
#include <string>

#include "train/ledger.h"

namespace tracer {

// The books for another program.
std::string ledger_json(const Ledger& ledger);
// Of the first piece every step and grad/STEP; batch/…; weights/NAME, grad/weights/NAME, before/m/NAME,
// before/v/NAME and what the update made of them: after/weights/NAME, after/m/NAME, after/v/NAME.
glassbox::NamedTensors ledger_arrays(const Ledger& ledger);

}  // namespace tracer
