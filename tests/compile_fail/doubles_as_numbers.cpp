// error: numbers are real: std::vector<real>
#include <glassbox/glassbox.h>
using namespace glassbox;

int main() {
    const std::vector<double> numbers{1, 2};
    const Tensor x({2}, numbers);
}
