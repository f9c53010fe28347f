// Ops, and what they take. Each case is compiled by itself: see check.
#include <glassbox/glassbox.h>

#include <iostream>

using namespace glassbox;

#ifdef CASE_axis_that_is_none
// error: Axis
Tensor larger(const Tensor& x) { return max(x, 0.5); }
#endif

#ifdef CASE_text_for_an_axis
// error: Axis axis
Tensor rows(const Tensor& x) { return sum(x, "rows"); }
#endif

#ifdef CASE_keep_that_is_a_number
// error: Keep
Tensor unbiased(const Tensor& x) { return var(x, -1, 1); }
#endif

#ifdef CASE_tensors_compared
// error: all_close(a, b), or a.id() == b.id()
bool same(const Tensor& a, const Tensor& b) { return a == b; }
#endif

#ifdef CASE_result_of_an_op_dropped
// error: nodiscard
// error: reshape
void flatten(const Tensor& x) { reshape(x, {-1}); }
#endif

#ifdef CASE_device_by_name
// error: Device
Tensor there(const Tensor& x) { return x.to("cuda"); }
#endif

#ifdef CASE_format_of_whole_numbers
// error: a tensor's format is {}, or {:.3} for 3 digits
void show(const Tensor& x) { fmt::print("{:d}", x); }
#endif

#ifdef CASE_printed
// compiles
void show(const Tensor& Q) {
    std::cout << Q << exp(Q);
    fmt::print("{} {:.3} {}\n", Q, exp(Q), Q.shape().str());
}
#endif

#ifdef CASE_everyday_arithmetic
// compiles
Tensor all_of_it(Tensor x, Tensor W, const Tensor& condition) {
    if (check_gradients([&] { return linear(x, W); }, {&x, &W}) && all_close(x, W, {.relative = 1e-3}))
        x += 1;
    if (!check_gradients([](const std::vector<Tensor>& in) { return in[0] * in[1]; }, {x, W})) x -= W;
    if (!check_gradients([](const Tensor& y) { return exp(y); }, x)) x *= 2;
    x = 1 - 2 * x / 3 + pow(x, 2) + abs(x) - min(x, 0) / 2 + 1 / x + (2 + x);
    x = where(condition, x, 0) + where(condition, 1, x) + where(condition, x, W);
    return reshape(reshape(reshape(x, {2, -1}), x.shape()), {x.size(0), 3});
}
#endif
