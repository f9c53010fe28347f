// error: nodiscard
// error: reshape
#include <glassbox/glassbox.h>

using namespace glassbox;

void flatten(const Tensor& x) { reshape(x, {-1}); }
