// error: call parameters_of(model) each time
#include <glassbox/glassbox.h>
using namespace glassbox;

int main() {
    Linear layer = Linear::zeros(2, 3);
    auto kept = parameters_of(layer);
    return static_cast<int>(kept.count());
}
