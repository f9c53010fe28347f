// error: nodiscard
// error: with_prepended_token
#include <glassbox/glassbox.h>

using namespace glassbox;

void first_seen(const Mask& mask) { mask.with_prepended_token(); }
