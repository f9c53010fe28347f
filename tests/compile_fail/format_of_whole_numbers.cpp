// error: a tensor's format is {}, or {:.3} for 3 digits
#include <glassbox/glassbox.h>

using namespace glassbox;

void show(const Tensor& x) { fmt::print("{:d}", x); }
