#include <glassbox/layers/series_input.h>

#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;

// h = (x ‖ Time2Vec(τ)) W_inᵀ + b,  or  x W_inᵀ + b + PE
std::vector<Mistake> series_input() {
    namespace step = steps::series_input;
    const WrongAt series{"series", {&step::input_net}};
    return {
        {series, "differences", "(x_t − x_{t−1}) W_inᵀ + b",
         "Differences from the previous time are read instead of the values.",
         [](const Frame& f, const Tensor&) {
             const Tensor x = input(f, 0);
             const index_t T = x.size(-2);
             const Tensor before = concat({slice(x, -2, 0, 1), slice(x, -2, 0, T - 1)}, -2);
             return linear(x - before, input(f, 1), input(f, 2));
         }},
        Mistake{series, "one-early", "x_{t+1} W_inᵀ + b",
                "A leak: every row has the values of the following time.",
                [](const Frame& f, const Tensor&) {
                    const Tensor x = rolled(input(f, 0), -2);
                    return x.defined() ? linear(x, input(f, 1), input(f, 2)) : not_here;
                }}
            .in_class("the oldest place last"),
        Mistake{series, "backwards", "x_{T−1−t} W_inᵀ + b", "The window is reversed.",
                [](const Frame& f, const Tensor&) {
                    const Tensor x = reversed(input(f, 0), -2);
                    return x.defined() ? linear(x, input(f, 1), input(f, 2)) : not_here;
                }}
            .in_class("the oldest place last"),
    };
}

}  // namespace glassbox::catalogue
