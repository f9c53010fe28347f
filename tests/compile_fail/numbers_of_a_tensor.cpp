// A tensor is never changed, and its numbers live as long as it. Each case is compiled by itself: see check.
#include <glassbox/glassbox.h>

using namespace glassbox;

#ifdef CASE_entry_assigned
// error: a tensor is never changed
int main() {
    Tensor x{{1, 2}, {3, 4}};
    x[0] = Tensor{5, 6};
}
#endif

#ifdef CASE_entry_assigned_a_number
// error: a tensor is never changed
int main() {
    Tensor x{1, 2};
    x[0] = 5;
}
#endif

#ifdef CASE_data_of_a_temporary
// error: a temporary's numbers are freed immediately: name the tensor
const real* logits(const Tensor& x) { return exp(x).data(); }
#endif

#ifdef CASE_view_of_a_temporary
// error: a temporary's numbers are freed immediately: name the tensor
ConstView logits(const Tensor& x) { return exp(x).view(); }
#endif

#ifdef CASE_writable_temporary
// error: a temporary's numbers are freed immediately: name the tensor
View logits(const Tensor& x) { return exp(x).writable(); }
#endif

#ifdef CASE_named_then_looked_at
// compiles
index_t elements(const Tensor& x) {
    const Tensor y = exp(x);
    const ConstView view = y.view();
    const Shape shape = exp(x).shape();  // by value
    return view.shape.numel() + shape.numel() + (y.data() ? 1 : 0) + (y.id() == x.id() ? 1 : 0);
}
#endif
