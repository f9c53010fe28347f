// Names of steps, and the trace that keeps them. Each case is compiled by itself: see check.
#include <glassbox/glassbox.h>

using namespace glassbox;

#ifdef CASE_step_misspelt
// error: did you mean
Tensor logits(const Tensor& x) { return named(steps::scaled_dot_product::logit, x); }
#endif

#ifdef CASE_named_as_a_statement
// error: named
// error: nodiscard
Tensor gate(const Tensor& x) {
    Tensor y = sigmoid(x);
    named("gate", y);
    return y;
}
#endif

#ifdef CASE_trace_copied
// error: Trace(const Trace&) = delete
Trace twice(const Trace& trace) { return trace; }
#endif
