#pragma once

namespace glassbox::detail {

// The number of threads that `text` asks for, 0 if it is null or empty. Throws UsageError, for
// GLASSBOX_NUM_THREADS, if it is not a whole number of at least 1.
int asked_threads(const char* text);

}  // namespace glassbox::detail
