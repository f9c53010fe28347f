#pragma once
#include <cstdint>

#include "subject/subject.h"

namespace tracer {

// In every convention norms are initialised to γ = 1 and β = 0, and biases often to 0, which hides
// differences and mistakes. Sets γ = gain (1 + z / 2), and β and the biases to spread z, with normal z.
// Returns whether there are any.
bool draw_hiding_parameters(const Subject& subject, std::uint64_t seed, double gain = 1, double spread = 0.5);

}  // namespace tracer
