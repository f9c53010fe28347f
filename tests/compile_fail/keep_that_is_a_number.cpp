// error: Keep
#include <glassbox/glassbox.h>

using namespace glassbox;

Tensor unbiased(const Tensor& x) { return var(x, -1, 1); }
