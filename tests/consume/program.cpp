// A user's program: it uses the library only through its public headers.
#include <glassbox/glassbox.h>

#include <cstdio>
#include <exception>

#if GLASSBOX_VERSION < 100
#error "GLASSBOX_VERSION is at least 0.1.0"
#endif

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
