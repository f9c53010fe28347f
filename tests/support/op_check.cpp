#include "support/op_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>

#include "support/compare.h"
#include "support/devices.h"

namespace glassbox_test {

using namespace glassbox;

namespace {

constexpr index_t max_differences = 60;  // elements of all inputs, at four evaluations each

std::vector<Tensor> moved(const std::vector<Tensor>& inputs, Device device) {
    std::vector<Tensor> result;
    for (const Tensor& input : inputs) result.push_back(input.to(device));
    return result;
}

Tensor observed(const Function& op, const std::vector<Tensor>& inputs, bool traced, bool taped) {
    std::optional<Trace> trace;
    std::optional<Tape> tape;
    if (traced) trace.emplace();
    if (taped) tape.emplace();
    return op(inputs);
}

bool has_gradient(const OpCheck& check, std::size_t i) {
    const auto& without = check.without_gradient;
    return std::find(without.begin(), without.end(), i) == without.end();
}

void compare_gradients(const std::vector<Tensor>& actual, const std::vector<Tensor>& expected, Device device,
                       const std::string& path, const OpCheck& check) {
    for (std::size_t i = 0; i < actual.size(); ++i) {
        if (!has_gradient(check, i)) continue;
        check_close(actual[i], expected[i], check.backward, fmt::format("{}: gradient of input {}", path, i));
        if (actual[i].device() != device) FAIL_CHECK(path << ": the gradient is on another device");
    }
}

void compare_with_differences(const Function& op, const std::vector<Tensor>& inputs, const Tensor& weights,
                              const std::vector<Tensor>& gradients, const std::string& path,
                              const OpCheck& check) {
    index_t elements = 0;
    for (const Tensor& input : inputs) elements += input.numel();
    if (!check.finite_differences || elements > max_differences) return;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (has_gradient(check, i))
            check_close(gradients[i], finite_differences(op, inputs, i, weights), finite_difference,
                        fmt::format("{}: gradient of input {} against finite differences", path, i));
}

}  // namespace

void check_op(Device device, Random& random, const std::string& path, const Function& op,
              const std::vector<Tensor>& inputs, const OpCheck& check) {
    devices();
    const std::vector<Tensor> on_device = moved(inputs, device), on_oracle = moved(inputs, Device::oracle);
    std::vector<Tensor> scattered;
    for (const Tensor& input : inputs) scattered.push_back(random.scattered(input, device));

    const Tensor expected = op(on_oracle), plain = op(on_device);
    check_close(plain, expected, check.forward, path);
    check_close(op(scattered), expected, check.forward, path + " (scattered inputs)");
    check_close(observed(op, on_device, true, false), plain, check.traced, path + " (traced)");
    check_close(observed(op, on_device, false, true), plain, check.taped, path + " (taped)");
    check_close(observed(op, on_device, true, true), plain, check.traced, path + " (traced and taped)");

    const Tensor weights = random.normal(plain.shape());
    const std::vector<Tensor> gradients = tape_gradients(op, on_device, weights.to(device));
    const std::vector<Tensor> expected_gradients = tape_gradients(op, on_oracle, weights.to(Device::oracle));
    compare_gradients(gradients, expected_gradients, device, path, check);
    compare_gradients(tape_gradients(op, scattered, random.scattered(weights, device)), expected_gradients,
                      device, path + " (scattered inputs)", check);
    compare_with_differences(op, on_device, weights, gradients, path, check);
}

}  // namespace glassbox_test
