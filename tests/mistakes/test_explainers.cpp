// Each explainer of detail/explainers/ by itself.
#include <glassbox/conventions/made.h>
#include <glassbox/mistakes/diagnosis.h>
#include <glassbox/models/stack.h>
#include <glassbox/observe/trace.h>
#include <glassbox/random/stream.h>

#include "support/catch.h"

using namespace glassbox;
using glassbox_test::has;

namespace {

// Two encoder blocks whose parameters are all different.
struct Stack {
    std::shared_ptr<Encoder> encoder;
    Tensor x;
    Computation computation;

    Stack() {
        const auto stream = make_stream(Rng::numpy, 11);
        const StackChoices sizes{.block = {.d_model = 6, .heads = 2, .d_ff = 5, .dropout = 0}, .layers = 2};
        encoder = std::make_shared<Encoder>(convention("uva-torch").encoder(sizes));
        for (const auto& each : parameters_of(*encoder).entries())
            *each.tensor = stream->normal(each.tensor->shape());
        x = stream->normal({4, 6});
        computation = {[=, *this] { (void)(*encoder)(x); }, "encoder/1/norm2",
                       [encoder = encoder] { return parameters_of(*encoder); }};
    }

    Tensor& parameter(const std::string& name) const {
        for (const auto& each : parameters_of(*encoder).entries())
            if (each.name == name) return *each.tensor;
        FAIL("no parameter " << name);
        return const_cast<Tensor&>(x);
    }
    Tensor result() const {
        Trace trace;
        return (*encoder)(x);
    }
};

const StepDiagnosis& last_of(const Diagnosis& diagnosis) { return diagnosis.steps.back(); }

std::string looks_of(const Stack& stack, const Tensor& mine) {
    const Diagnosis found = diagnose(stack.computation, {{"", mine}}, {.effort = 400});
    CHECK(last_of(found).verdict == Verdict::wrong);
    return last_of(found).looks_like;
}

}  // namespace

TEST_CASE(
    "explainers: weights in each other's place are named, in one block or in all, and stay where they are") {
    const Stack stack;
    const Tensor right = stack.result();
    const auto exchange = [&](const std::string& a, const std::string& b) {
        for (const char* each : {".weight", ".bias"})
            std::swap(stack.parameter(a + each), stack.parameter(b + each));
    };
    const std::string of_one = "layers.1.norm1", to = "layers.1.norm2";
    exchange(of_one, to);
    const Tensor in_one = stack.result();
    exchange("layers.0.norm1", "layers.0.norm2");
    const Tensor in_all = stack.result();
    exchange(of_one, to);
    exchange("layers.0.norm1", "layers.0.norm2");
    CHECK(looks_of(stack, in_one) ==
          "every number is right with the weights of layers.1.norm1 and layers.1.norm2 swapped");
    CHECK(looks_of(stack, in_all) ==
          "every number is right with the weights of norm1 and norm2 swapped everywhere");
    CHECK(stack.result().values() == right.values());
    CHECK(last_of(diagnose(stack.computation, {{"", right}})).verdict == Verdict::right);
}

TEST_CASE("explainers: another layer's weights in place of its own are named") {
    const Stack stack;
    const auto exchange_with = [&](Tensor& weight, Tensor& bias) {
        std::swap(stack.parameter("layers.1.norm1.weight"), weight);
        std::swap(stack.parameter("layers.1.norm1.bias"), bias);
    };
    Tensor weight = stack.parameter("layers.1.norm2.weight"), bias = stack.parameter("layers.1.norm2.bias");
    exchange_with(weight, bias);
    const Tensor mine = stack.result();
    exchange_with(weight, bias);
    CHECK(looks_of(stack, mine) ==
          "every number is right with the weights of layers.1.norm2 in place of those of layers.1.norm1");
}
