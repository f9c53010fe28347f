#pragma once

namespace glassbox {

// Throws Error that says why no GPU can be used, and what to do, when that is so: asking for one is never
// answered by a silent run on the CPU.
void require_gpu();

}  // namespace glassbox
