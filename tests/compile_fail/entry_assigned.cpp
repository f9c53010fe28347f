// error: a tensor is never changed
#include <glassbox/glassbox.h>
using namespace glassbox;

int main() {
    Tensor x{{1, 2}, {3, 4}};
    x[0] = Tensor{5, 6};
}
