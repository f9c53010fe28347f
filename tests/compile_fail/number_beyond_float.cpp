// error: narrow
// error: e+300
#include <glassbox/glassbox.h>

using namespace glassbox;

const Tensor x{{1e300, 2}};
