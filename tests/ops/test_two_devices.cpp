#include <functional>
#include <string>
#include <vector>

#include <glassbox/ops/ops.h>

#include "support/devices.h"

using namespace glassbox;
using namespace glassbox_test;

// The operands determine which backend computes. Testing that they agree needs no GPU: any second device will
// do.

namespace {

using Operands = std::vector<Tensor>;

struct Op {
    std::string name;  // at the start of its errors
    Operands operands;
    std::function<Tensor(const Operands&)> call;
};

Tensor attention_of(const Operands& x) {
    AttentionOptions options;
    options.lengths = x[3];
    options.visible = x[4];
    return fused_attention(x[0], x[1], x[2], options);
}

// Every op with more than one operand.
std::vector<Op> ops() {
    const Tensor x = {{1, 2}, {3, 4}}, b = {1, 2}, labels = {0, 1};
    const Tensor Q = Tensor::ones({1, 2, 2}), lengths({1}, {2}), visible = Tensor::ones({2, 2});
    const auto two = [](Tensor (*op)(const Tensor&, const Tensor&)) {
        return [op](const Operands& a) { return op(a[0], a[1]); };
    };
    return {
        {"add", {x, x}, two(add)},
        {"sub", {x, x}, two(sub)},
        {"mul", {x, x}, two(mul)},
        {"div", {x, x}, two(div)},
        {"matmul", {x, x}, two(matmul)},
        {"squared_error", {x, x}, two(squared_error)},
        {"embedding", {x, labels}, two(embedding)},
        {"count_correct", {x, labels}, two(count_correct)},
        {"cross_entropy", {x, labels}, [](const Operands& a) { return cross_entropy(a[0], a[1]); }},
        {"linear", {x, x, b}, [](const Operands& a) { return linear(a[0], a[1], a[2]); }},
        {"layer_norm", {x, b, b}, [](const Operands& a) { return layer_norm(a[0], a[1], a[2]); }},
        {"masked_fill", {x, x}, [](const Operands& a) { return masked_fill(a[0], a[1], 0); }},
        {"concat", {x, x, x}, [](const Operands& a) { return concat(a, 0); }},
        {"attention", {Q, Q, Q, lengths, visible}, attention_of},
        {"linear",  // as called for each half by the fused feed_forward
         {x, x, b, x, b},
         [](const Operands& a) {
             return fused_feed_forward(a[0], a[1], a[2], Activation::relu, a[3], a[4]);
         }},
    };
}

std::string error_of(const Op& op, const Operands& operands) {
    try {
        op.call(operands);
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

}  // namespace

DEVICE_TEST("an op refuses operands on two devices by name, whichever of them differs") {
    const Device other = device == Device::cpu ? Device::oracle : Device::cpu;
    for (const Op& op : ops()) {
        INFO(op.name);
        Operands together;
        for (const Tensor& operand : op.operands) together.push_back(operand.to(device));
        CHECK(op.call(together).device() == device);
        for (std::size_t apart = 0; apart < together.size(); ++apart) {
            Operands mixed = together;
            mixed[apart] = mixed[apart].to(other);
            const std::string error = error_of(op, mixed);
            INFO("operand " << apart << " apart: " << error);
            CHECK(error.find(op.name) == 0);
            CHECK(error.find("on two devices") != std::string::npos);
            CHECK(error.find(name(device)) != std::string::npos);
            CHECK(error.find(name(other)) != std::string::npos);
        }
    }
}
