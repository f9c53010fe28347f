// error: numbers need a shape: Tensor({n}, values)
#include <glassbox/glassbox.h>
using namespace glassbox;

int main() {
    const std::vector<float> numbers{1, 2};
    const Tensor x(numbers);
}
