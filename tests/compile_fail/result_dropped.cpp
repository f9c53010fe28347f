// error: nodiscard
// error: with_first_seen
#include <glassbox/glassbox.h>

using namespace glassbox;

void first_seen(const Mask& mask) { mask.with_first_seen(); }
