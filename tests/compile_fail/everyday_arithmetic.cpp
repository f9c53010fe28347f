// compiles
#include <glassbox/glassbox.h>

using namespace glassbox;

Tensor all_of_it(Tensor x, Tensor W, const Tensor& condition) {
    if (check_gradients([&] { return linear(x, W); }, {&x, &W}) && all_close(x, W, {.relative = 1e-3}))
        x += 1;
    if (!check_gradients([](const std::vector<Tensor>& in) { return in[0] * in[1]; }, {x, W})) x -= W;
    if (!check_gradients([](const Tensor& y) { return exp(y); }, x)) x *= 2;
    x = 1 - 2 * x / 3 + pow(x, 2) + abs(x) - min(x, 0) / 2 + 1 / x + (2 + x);
    x = where(condition, x, 0) + where(condition, 1, x) + where(condition, x, W);
    return reshape(reshape(reshape(x, {2, -1}), x.shape()), {x.size(0), 3});
}
