#pragma once
#include <functional>

#include <glassbox/tensor/real.h>

namespace glassbox {

// The number of threads for heavy kernels; by default all usable cores (GLASSBOX_NUM_THREADS overrides).
[[nodiscard]] int num_threads();
void set_num_threads(int count);  // at least 1, else UsageError
void limit_threads(int max);      // caps num_threads() from now on, whatever has been or will be set

// Calls body(begin, end) on chunks that cover [0, count), each of at most `grain` items, on up to
// num_threads() threads. Chunk bounds depend only on count and grain, never on the number of threads, so that
// results do not either. Runs on the calling thread only if there is one chunk, or if called from inside a
// chunk. An exception thrown by a chunk is rethrown to the caller.
void parallel_for(index_t count, index_t grain, const std::function<void(index_t, index_t)>& body);

// Calls work() on this thread and on up to `others` new ones, for work that is itself made of heavy kernels;
// its calls share the work. If the system has no more threads, the existing ones do it. Waits for all; the
// first exception is rethrown.
void on_threads(int others, const std::function<void()>& work);

}  // namespace glassbox
