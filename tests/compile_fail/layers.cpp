// Layers, attention and masks. Each case is compiled by itself: see check.
#include <glassbox/glassbox.h>

using namespace glassbox;

#ifdef CASE_tensor_for_a_mask
// error: const Mask& mask
Tensor values(const Tensor& x, const Tensor& mask) { return scaled_dot_product(x, x, x, mask).values; }
#endif

#ifdef CASE_result_dropped
// error: nodiscard
// error: with_prepended_token
void first_seen(const Mask& mask) { mask.with_prepended_token(); }
#endif

#ifdef CASE_result_taken_for_a_pair
// error: AttentionResult
Tensor values(const Tensor& x) { return scaled_dot_product(x, x, x).first; }
#endif

#ifdef CASE_layer_of_one_tensor_called_with_two
// error: Tensor operator()(const Tensor& x) const
// error: 2
Tensor normed(const LayerNorm& norm, const Tensor& x) { return norm(x, x); }
#endif
