#include "support/gradient_check.h"

#include <fmt/format.h>

#include <algorithm>

#include <glassbox/observe/tape.h>

#include "support/compare.h"

namespace glassbox_test {

using namespace glassbox;

namespace {
constexpr double step = in_double ? 4e-3 : 6e-2;
}

double weighted_sum(const Function& f, const std::vector<Tensor>& inputs, const Tensor& weights) {
    const std::vector<real> y = f(inputs).values(), w = weights.values();
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += static_cast<double>(w[i]) * static_cast<double>(y[i]);
    return sum;
}

Tensor finite_differences(const Function& f, const std::vector<Tensor>& inputs, std::size_t which,
                          const Tensor& weights) {
    const Tensor& x = inputs[which];
    const std::vector<real> values = x.values();
    const auto difference = [&](std::size_t i, double h) {
        std::vector<Tensor> moved = inputs;
        std::vector<real> up = values, down = values;
        up[i] = static_cast<real>(static_cast<double>(values[i]) + h);
        down[i] = static_cast<real>(static_cast<double>(values[i]) - h);
        moved[which] = Tensor(x.shape(), up, x.device());
        const double above = weighted_sum(f, moved, weights);
        moved[which] = Tensor(x.shape(), down, x.device());
        const double below = weighted_sum(f, moved, weights);
        return (above - below) / (static_cast<double>(up[i]) - static_cast<double>(down[i]));
    };
    std::vector<real> slopes;
    for (std::size_t i = 0; i < values.size(); ++i)
        slopes.push_back(static_cast<real>((4 * difference(i, step / 2) - difference(i, step)) / 3));
    return Tensor(x.shape(), slopes, x.device());
}

std::vector<Tensor> tape_gradients(const Function& f, const std::vector<Tensor>& inputs,
                                   const Tensor& weights) {
    Tape tape;
    const Tensor y = f(inputs);
    tape.backward(y, weights);
    std::vector<Tensor> gradients;
    for (const Tensor& input : inputs) gradients.push_back(tape.gradient(input));
    return gradients;
}

void check_gradients(const Function& f, const std::vector<Tensor>& inputs, const Tensor& weights,
                     const std::string& path, const Tolerance& tolerance) {
    const std::vector<Tensor> gradients = tape_gradients(f, inputs, weights);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        check_close(gradients[i], finite_differences(f, inputs, i, weights), tolerance,
                    fmt::format("{}: gradient of input {} against finite differences", path, i));
}

}  // namespace glassbox_test
