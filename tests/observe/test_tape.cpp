#include <glassbox/observe/tape.h>

#include <thread>
#include <vector>

#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/observe/record.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/gradient_check.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

DEVICE_TEST("a value used twice gets the sum of both gradients") {
    const Tensor x = Tensor{2, 3}.to(device);
    Tape tape;
    tape.backward(sum(x * x + x * 4));
    check_close(tape.gradient(x), {8, 10}, exact, "2x + 4");
}

DEVICE_TEST("an op with one operand on both sides gets both gradients") {
    const Tensor x = Tensor{{1, 2}, {3, 4}}.to(device);
    Tape tape;
    tape.backward(sum(matmul(x, x)));
    check_close(tape.gradient(x), {{7, 11}, {9, 13}}, exact, "1 xᵀ + xᵀ 1");
}

DEVICE_TEST("a value used in many ways, through views, gets the sum of all") {
    const Tensor x = Tensor{{1, 2}, {3, 4}}.to(device);
    Tape tape;
    const Tensor y = sum(transpose(x) * x) + sum(reshape(x, {4})) + sum(slice(x, 0, 1, 2) * 10);
    tape.backward(y);
    check_close(tape.gradient(x), {{3, 7}, {15, 19}}, exact, "2 xᵀ + 1 + 10 on row 1");
}

DEVICE_TEST("backward from any tensor takes the given gradient") {
    const Tensor x = Tensor{1, 2, 3}.to(device);
    Tape tape;
    const Tensor y = x * 2;
    tape.backward(y, Tensor{1, 10, 100}.to(device));
    check_close(tape.gradient(x), {2, 20, 200}, exact, "2 dy");
}

DEVICE_TEST("the gradient of a tensor that the loss does not depend on is zero") {
    const Tensor x = Tensor{1, 2}.to(device), unused = Tensor{{1, 2, 3}}.to(device);
    Tape tape;
    const Tensor aside = unused * 3;
    tape.keep(aside);
    tape.backward(sum(x));
    check_close(tape.gradient(unused), Tensor::zeros({1, 3}), exact, "unused input");
    check_close(tape.gradient(aside), Tensor::zeros({1, 3}), exact, "unused intermediate");
    CHECK(tape.gradient(unused).device() == device);
}

DEVICE_TEST("the loss itself may be an input, and its gradient is 1") {
    const Tensor x = Tensor(real(3)).to(device);
    Tape tape;
    const Tensor y = x * 2;
    tape.backward(x);
    check_close(tape.gradient(x), Tensor(real(1)), exact, "dx/dx");
}

DEVICE_TEST("gradients of named steps in a trace are kept automatically") {
    const Tensor x = Tensor{1, 2}.to(device);
    Trace trace;
    Tape tape;
    const Tensor y = named("squared", x * x);
    tape.backward(sum(y * y));
    check_close(tape.gradient(trace["squared"]), {2, 8}, exact, "2y");
    check_close(tape.gradient(x), {4, 32}, exact, "4x³");
}

DEVICE_TEST("the gradient of every named step of attention matches replacing the step") {
    Random random(3);
    const Tensor Q = random.normal({2, 3, 2}).to(device), K = random.normal({2, 4, 2}).to(device),
                 V = random.normal({2, 4, 3}).to(device), weights = random.normal({2, 3, 3}).to(device);
    const Mask mask = Mask::lengths({4, 3});
    const auto attend_with = [&](const std::string& path, const Tensor& value) {
        Trace trace;
        if (!path.empty()) trace.replace(path, value);
        return scaled_dot_product(Q, K, V, mask).values;
    };
    Trace trace;
    Tape tape;
    tape.backward(scaled_dot_product(Q, K, V, mask).values, weights);
    CHECK(trace.steps().size() == 8);
    for (const Trace::Step& step : trace.steps()) {
        if (step.path == "masked") continue;  // at −9e15 a step of finite differences has no effect
        const Function from_here = [&](const std::vector<Tensor>& in) {
            return attend_with(step.path, in[0]);
        };
        check_close(tape.gradient(step.value), finite_differences(from_here, {step.value}, 0, weights),
                    finite_difference, step.path);
    }
    check_close(tape.gradient(trace["masked"]), mask.fill(tape.gradient(trace["masked"]), 0), exact,
                "hidden scores have weight 0, and so gradient 0");
}

DEVICE_TEST("a replaced step gets the gradient; the original gets none") {
    const Tensor x = Tensor{1, 2}.to(device), other = Tensor{5, 6}.to(device);
    Trace trace;
    trace.replace("doubled", other);
    Tape tape;
    const Tensor y = named("doubled", x * 2);
    tape.backward(sum(y * y));
    check_close(tape.gradient(trace["doubled"]), {10, 12}, exact, "the replacement");
    check_close(tape.gradient(x), {0, 0}, exact, "x");
}

DEVICE_TEST("keep requests the gradient of an unnamed step; others are freed, with an error on access") {
    const Tensor x = Tensor{1, 2}.to(device);
    Tape tape;
    const Tensor kept = x * 2, forgotten = kept * 3;
    tape.keep(kept);
    tape.backward(sum(forgotten));
    check_close(tape.gradient(kept), {3, 3}, exact, "kept");
    check_error(
        [&] { tape.gradient(forgotten); },
        "gradient: this intermediate value of shape (2,) was not kept: name it under a Trace, or call "
        "tape.keep(x) before backward");
}

TEST_CASE("a tape runs backward once, and only from a scalar") {
    const Tensor x = {1, 2};
    Tape tape;
    const Tensor y = sum(x * x);
    check_error([&] { tape.gradient(x); }, "gradient: call backward first");
    check_error([&] { tape.backward(x); }, "backward: the loss must be one number, its shape is (2,)");
    check_error([&] { tape.backward(y, x); }, "backward: y has shape (), its gradient (2,)");
    tape.backward(y);
    check_error([&] { tape.backward(y); },
                "backward: this tape has been played already; record the forward pass on a new one");
    CHECK(tape.size() == 0);
}

TEST_CASE("an undefined loss is refused") {
    Tape tape;
    CHECK_THROWS_AS(tape.backward(Tensor()), Error);
}

TEST_CASE("nothing is recorded before a tape is created, after it is destroyed, and during backward") {
    const Tensor x = {1, 2};
    CHECK(Tape::current() == nullptr);
    {
        Tape tape;
        CHECK(Tape::current() == &tape);
        const Tensor y = sum(exp(x) * x);
        CHECK(tape.size() == 3);
        Trace trace;
        tape.backward(y);
        CHECK(tape.size() == 0);
        CHECK(trace.steps().empty());
        CHECK(Tape::current() == &tape);
        CHECK(Trace::current() == &trace);
    }
    CHECK(Tape::current() == nullptr);
}

TEST_CASE("of nested tapes the innermost records") {
    const Tensor x = {3};
    Tape outer;
    const Tensor y = x * x;
    {
        Tape inner;
        inner.backward(sum(x * 5));
        check_close(inner.gradient(x), Tensor{5}, exact, "inner");
    }
    outer.backward(sum(y));
    check_close(outer.gradient(x), Tensor{6}, exact, "outer");
}

namespace {

const std::string not_here =
    " was not computed on this tape: it was made before the tape, after it, on another thread or while "
    "another tape was recording";

}  // namespace

TEST_CASE("a loss from elsewhere is refused, rather than giving gradients of 0") {
    const Tensor x = {3};
    const Tensor before = sum(x * x);
    Tape tape;
    const Tensor here = sum(x * x);
    check_error([&] { tape.backward(before); }, "backward: y of shape ()" + not_here);
    check_error([&] { tape.backward(Tensor(real(2))); }, "backward: y of shape ()" + not_here);
    Tensor of_a_thread;
    std::thread([&] { of_a_thread = sum(x * x); }).join();
    check_error([&] { tape.backward(of_a_thread); }, "backward: y of shape ()" + not_here);
    tape.backward(here);  // the error had no side effects
    check_close(tape.gradient(x), Tensor{6}, exact, "2x");
}

TEST_CASE("a tensor unknown to the tape has no gradient, rather than 0") {
    const Tensor x = {3}, stranger = {1, 2}, copy = x.alias(x.shape(), x.strides());
    Tape tape;
    const Tensor y = sum(x * x);
    tape.keep(stranger);
    tape.backward(y);
    const std::string rule =
        ": no op on it has read or made this very tensor (for x.to(device), reshape(x, …) or another copy, "
        "ask for the gradient of the copy)";
    check_error([&] { tape.gradient(stranger); }, "gradient: this tape never saw x of shape (2,)" + rule);
    check_error([&] { tape.gradient(copy); }, "gradient: this tape never saw x of shape (1,)" + rule);
    const Tensor same = x;
    check_close(tape.gradient(same), Tensor{6}, exact, "a copy in C++ is the tensor itself");
}

TEST_CASE("a tape within a tape: second derivatives are refused, rather than 0") {
    const Tensor x = {3};
    Tape outer;
    const Tensor own = x * 2;
    Tensor dy, y;
    {
        Tape inner;
        y = x * x * x;
        inner.backward(sum(y));
        dy = inner.gradient(x);  // 3x²
    }
    check_error([&] { outer.backward(dy, Tensor{1}); }, "backward: y of shape (1,)" + not_here);
    const Tensor penalty = sum(dy * x);
    check_error(
        [&] { outer.backward(penalty); },
        "backward: mul read a value that was made while another tape was recording, and this one cannot "
        "differentiate it: there are no second derivatives (to use it as a constant: x.clone())");
    Tape again;
    const Tensor constant = dy.clone();
    again.backward(sum(constant * x));
    check_close(again.gradient(x), Tensor{27}, exact, "a clone is a constant");
}

TEST_CASE("backward runs on the thread that made the tape") {
    const Tensor x = {3};
    Tape tape;
    const Tensor y = sum(x * x);
    std::thread([&] {
        check_error([&] { tape.backward(y); },
                    "backward: this tape belongs to the thread that made it, and can only be played there");
    }).join();
    tape.backward(y);
    check_close(tape.gradient(x), Tensor{6}, exact, "2x");
}

TEST_CASE("a copy shares the tensor's gradient, a clone has its own") {
    const Tensor x = {1, 1}, copy = x, clone = x.clone();
    CHECK(copy.id() == x.id());
    CHECK_FALSE(clone.shares_storage_with(x));
    Tape tape;
    tape.backward(sum(x * 2 + copy * 3 + clone * 5));
    check_close(tape.gradient(x), {5, 5}, exact, "x");
    check_close(tape.gradient(clone), {5, 5}, exact, "its clone");
}

TEST_CASE("the pullback of a user's op must match its inputs, in number and shape") {
    const Tensor x = {{1, 2, 3}, {4, 5, 6}}, w = {1, 2};
    const auto play = [&](const Tape::Gradients& gradients) {
        Tape tape;
        const Tensor y = x.alias(x.shape(), x.strides());
        record("own", y, {&x, &w}, [&](const Tensor&) -> Tape::Gradients { return gradients; });
        tape.backward(y, x);
        return tape.gradient(x);
    };
    check_close(play({x, w}), x, exact, "it fits");
    check_close(play({x, no_gradient}), x, exact, "w has none");
    check_error(
        [&] {
            play({w, w});
        },
        "backward: the pullback of own gives input 0, of shape (2, 3), a gradient of shape (2,)");
    check_error([&] { play({x}); },
                "backward: the pullback of own gives 1 gradients, and the op has 2 inputs");
    check_error(
        [&] {
            play({x, w, w});
        },
        "backward: the pullback of own gives 3 gradients, and the op has 2 inputs");
}

TEST_CASE("a pullback that throws leaves tape and trace active as before") {
    const Tensor x = {1};
    Tape tape;
    Tensor y = x.alias(x.shape(), x.strides());
    tape.record("op", y, {&x}, [](const Tensor&) -> Tape::Gradients { throw Error("no way back"); });
    check_error([&] { tape.backward(y); }, "no way back");
    CHECK(Tape::current() == &tape);
}

TEST_CASE("backward frees each node as it goes") {
    // A node holds its inputs; after backward nothing else does.
    const Tensor x = Tensor::ones({4});
    Tape tape;
    int alive = 0;
    struct Counted {
        int* count;
        explicit Counted(int* c) : count(c) { ++*count; }
        Counted(const Counted& other) : count(other.count) { ++*count; }
        ~Counted() { --*count; }
    };
    Tensor y = x;
    std::vector<int> alive_at_play;
    for (int i = 0; i < 4; ++i) {
        const Tensor next = y.alias(y.shape(), y.strides());
        tape.record("op", next, {&y},
                    [counted = Counted(&alive), &alive_at_play, &alive](const Tensor& dy) -> Tape::Gradients {
                        alive_at_play.push_back(alive);
                        return {dy};
                    });
        y = next;
    }
    tape.backward(sum(y));
    CHECK(alive_at_play == std::vector<int>{4, 3, 2, 1});
    CHECK(alive == 0);
}

TEST_CASE("threads run their own tapes") {
    const int count = 4;
    std::vector<Tensor> gradients(count);
    std::vector<std::thread> threads;
    const Tensor shared = Tensor::ones({3});
    Tape mine;
    for (int t = 0; t < count; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 200; ++i) {
                Tape tape;
                tape.backward(sum(shared * shared * (t + 1)));
                gradients[static_cast<std::size_t>(t)] = tape.gradient(shared);
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(mine.size() == 0);
    for (int t = 0; t < count; ++t)
        check_close(gradients[static_cast<std::size_t>(t)], Tensor::full({3}, static_cast<real>(2 * (t + 1))),
                    exact, "thread " + std::to_string(t));
}
