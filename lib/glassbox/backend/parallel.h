#pragma once
#include <functional>

#include <glassbox/tensor/real.h>

namespace glassbox {

// How many threads heavy kernels may use; at first all of the machine's (GLASSBOX_NUM_THREADS overrides).
[[nodiscard]] int num_threads();
void set_num_threads(int count);  // at least 1, else UsageError
void limit_threads(int most);     // num_threads() says no more from now on, whatever was asked for

// Calls body(begin, end) on pieces that cover [0, count), each of at most `grain` items, on up to
// num_threads() threads. A piece's bounds depend on count and grain alone, never on the number of threads, so
// that results do not either. Runs on the caller alone when there is one piece, or when called from inside a
// piece. An exception of a piece reaches the caller.
void parallel_for(index_t count, index_t grain, const std::function<void(index_t, index_t)>& body);

}  // namespace glassbox
