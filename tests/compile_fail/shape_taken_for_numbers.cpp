// error: a shape has no numbers: Tensor::zeros(shape)
#include <glassbox/glassbox.h>
using namespace glassbox;

int main() { const Tensor x(Shape{2, 3}); }
