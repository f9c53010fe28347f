#pragma once

namespace glassbox {

// Throws Error that says why no GPU can be used, and what to do, when that is so: asking for one is never
// answered by a silent run on the CPU.
void require_gpu();

// Has this thread's calls go to this process's GPU. Threads choose each for itself in CUDA, so this is asked
// of every one before its first call; it costs nothing afterwards.
void use_gpu();

}  // namespace glassbox
