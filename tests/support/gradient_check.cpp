#include "support/gradient_check.h"

#include <fmt/format.h>

#include <numeric>

#include <glassbox/observe/tape.h>
#include <glassbox/ops/testing.h>

#include "support/compare.h"

namespace glassbox_test {

using namespace glassbox;

Tensor finite_differences(const Function& f, const std::vector<Tensor>& inputs, std::size_t which,
                          const Tensor& weights) {
    const Tensor& x = inputs[which];
    std::vector<index_t> all(static_cast<std::size_t>(x.numel()));
    std::iota(all.begin(), all.end(), index_t{0});
    std::vector<real> slopes;
    for (const numerics::Derivative& each : numerics::derivatives(f, inputs, which, weights, all))
        slopes.push_back(static_cast<real>(each.value));
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

void check_tape_gradients(const Function& f, const std::vector<Tensor>& inputs, const Tensor& weights,
                          const std::string& path, const Tolerance& tolerance) {
    const std::vector<Tensor> gradients = tape_gradients(f, inputs, weights);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        check_close(gradients[i], finite_differences(f, inputs, i, weights), tolerance,
                    fmt::format("{}: gradient of input {} against finite differences", path, i));
}

}  // namespace glassbox_test
