// error: a temporary's numbers are gone at once: give the tensor a name
#include <glassbox/glassbox.h>

using namespace glassbox;

View logits(const Tensor& x) { return exp(x).writable(); }
