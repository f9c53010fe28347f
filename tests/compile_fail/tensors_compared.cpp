// error: all_close(a, b), or a.id() == b.id()
#include <glassbox/glassbox.h>

using namespace glassbox;

bool same(const Tensor& a, const Tensor& b) { return a == b; }
