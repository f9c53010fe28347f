#pragma once
#include <glassbox/tensor/processor.h>

namespace glassbox {

// The set of this name, on a processor whose best is `best`; the best if `asked` is null or empty. Throws
// UsageError, for GLASSBOX_CPU, if there is none of this name, or this processor does not have it.
InstructionSet asked_instruction_set(const char* asked, InstructionSet best);

}  // namespace glassbox
