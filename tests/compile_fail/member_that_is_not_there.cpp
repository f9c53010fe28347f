// error: lr
// error: TrainerConfig
#include <glassbox/glassbox.h>

using namespace glassbox;

const TrainerConfig config{.lr = 0.1};
