#pragma once

namespace glassbox {

// If no GPU can be used, throws Error with the reason and advice: there is no silent fallback to the CPU.
void require_gpu();

// Selects this process's GPU for the calling thread. CUDA's device selection is per thread, so every thread
// must call this before its first CUDA call; later calls cost nothing.
void use_gpu();

}  // namespace glassbox
