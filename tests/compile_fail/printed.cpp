// compiles
#include <glassbox/glassbox.h>
#include <iostream>

using namespace glassbox;

void show(const Tensor& Q) {
    std::cout << Q << exp(Q);
    fmt::print("{} {:.3} {}\n", Q, exp(Q), Q.shape().str());
}
