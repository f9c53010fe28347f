// Compiled with a different `real` than the library it is linked with.
#ifdef GLASSBOX_DOUBLE
#undef GLASSBOX_DOUBLE
#else
#define GLASSBOX_DOUBLE
#endif
#include <glassbox/tensor/tensor.h>

int main() { return glassbox::Tensor::zeros({2, 3}).rank() == 2 ? 0 : 1; }
