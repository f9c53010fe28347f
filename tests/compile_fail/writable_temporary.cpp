// error: a temporary's numbers are freed immediately: name the tensor
#include <glassbox/glassbox.h>

using namespace glassbox;

View logits(const Tensor& x) { return exp(x).writable(); }
