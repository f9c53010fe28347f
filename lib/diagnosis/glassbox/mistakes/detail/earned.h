#pragma once
#include <glassbox/mistakes/detail/work.h>

namespace glassbox {

// Says of each step whether it was asked for, was shown to be right, or has a mistake of its own:
// DiagnosisOptions::earned.
void set_earned(const Work& work, Diagnosis& all);

}  // namespace glassbox
