// Someone else's program: it reaches the library only through its public headers.
#include <glassbox/ops/matmul.h>
#include <glassbox/tensor/tensor.h>

#include <cstdio>
#include <exception>

int main() {
    using namespace glassbox;
    const Tensor product = matmul(Tensor{{1, 2}, {3, 4}}, Tensor({2, 1}, {5, 6}));
    std::printf("real of %zu bytes: %g %g\n", sizeof(real), double(product.at({0, 0})),
                double(product.at({1, 0})));
    try {
        matmul(product, product);
    } catch (const Error& error) {
        std::printf("%s\n", error.what());
        return 0;
    }
    return 1;
}
