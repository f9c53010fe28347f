// error: it is {} or, with the digits behind the point, {:.3}
#include <glassbox/glassbox.h>

using namespace glassbox;

void show(const Tensor& x) { fmt::print("{:d}", x); }
