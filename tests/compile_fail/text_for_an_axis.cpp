// error: Axis axis
#include <glassbox/glassbox.h>

using namespace glassbox;

Tensor rows(const Tensor& x) { return sum(x, "rows"); }
