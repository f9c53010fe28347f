#include <glassbox/observe/trace.h>

#include <memory>
#include <thread>

#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/observe/tape.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/paths.h"
#include "support/standard_error.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

using Paths = std::vector<std::string>;

Tensor two_steps(const Tensor& x) {
    Tensor doubled = named("doubled", x * 2);
    Tensor output = named("output", doubled + 1);
    return output;
}

}  // namespace

DEVICE_TEST("a trace keeps every named step in reading order, with its value") {
    Trace trace;
    const Tensor y = two_steps(Tensor{1, 2}.to(device));
    CHECK(paths(trace) == Paths{"doubled", "output"});
    check_close(trace["doubled"], {2, 4}, exact, "doubled");
    check_close(trace["output"], {3, 5}, exact, "output");
    CHECK(trace["output"].id() == y.id());
    CHECK(trace["output"].device() == device);
    CHECK(trace.contains("doubled"));
    CHECK_FALSE(trace.contains("double"));
}

TEST_CASE("named is the identity, with a trace and without") {
    const Tensor x = {1, 2};
    CHECK(named("x", x).id() == x.id());
    Trace trace;
    CHECK(named("x", x).shares_storage_with(x));
    CHECK(named("x", x).values() == x.values());
    const Tensor y = x + x;
    CHECK(named("y", y).id() == y.id());
}

TEST_CASE("nothing is kept before a trace is created and after it is destroyed") {
    two_steps({1});
    {
        Trace trace;
        CHECK(trace.steps().empty());
        CHECK(Trace::current() == &trace);
    }
    CHECK(Trace::current() == nullptr);
}

TEST_CASE("scopes add their parts before names, until they end") {
    Trace trace;
    {
        const Scope encoder("encoder", 0);
        CHECK(Scope::path() == "encoder/0/");
        {
            const Scope attention("self_attn");
            CHECK(Scope::path() == "encoder/0/self_attn/");
            (void)named("logits", Tensor{1});
        }
        (void)named("norm1", Tensor{2});
    }
    (void)named("output", Tensor{3});
    CHECK(Scope::path().empty());
    CHECK(paths(trace) == Paths{"encoder/0/self_attn/logits", "encoder/0/norm1", "output"});
}

TEST_CASE("a scope ends when an exception leaves it") {
    Trace trace;
    try {
        const Scope scope("encoder");
        throw Error("on the way");
    } catch (const Error&) {
    }
    CHECK(Scope::path().empty());
}

TEST_CASE("repeated steps of one path are numbered: #2, #3") {
    Trace trace;
    for (int i = 1; i <= 3; ++i) (void)named("hidden", Tensor{static_cast<real>(i)});
    const Scope scope("encoder");
    (void)named("hidden", Tensor{4});
    CHECK(paths(trace) == Paths{"hidden", "hidden#2", "hidden#3", "encoder/hidden"});
    check_close(trace["hidden#3"], Tensor{3}, exact, "hidden#3");
    check_close(trace["hidden"], Tensor{1}, exact, "hidden");
}

TEST_CASE("of nested traces the innermost records") {
    Trace outer;
    (void)named("a", Tensor{1});
    {
        Trace inner;
        (void)named("b", Tensor{2});
        CHECK(paths(inner) == Paths{"b"});
    }
    (void)named("c", Tensor{3});
    CHECK(paths(outer) == Paths{"a", "c"});
}

TEST_CASE("an unknown step is an error that lists the existing ones") {
    Trace trace;
    two_steps({1});
    check_error([&] { trace["doubeld"]; }, "trace: no step 'doubeld'; the steps are: doubled, output");
}

TEST_CASE("a trace knows the op that made a value, its inputs, and its step") {
    Trace trace;
    const Tensor x = {{1, 2}, {3, 4}};
    const Tensor y = named("weights", softmax(x));
    const Operation* operation = trace.operation_of(y);
    REQUIRE(operation != nullptr);
    CHECK(std::string(operation->op) == "softmax");
    CHECK(operation->output.id() == y.id());
    REQUIRE(operation->inputs.size() == 1);
    CHECK(operation->inputs[0].id() == x.id());
    CHECK(trace.operation_of(x) == nullptr);
    REQUIRE(trace.step_of(y) != nullptr);
    CHECK(trace.step_of(y)->path == "weights");
    CHECK(trace.step_of(x) == nullptr);
    CHECK(trace.operation_of(sum(x, -1))->axis() == 1);
    CHECK(trace.operation_of(concat({x, x}, 0))->inputs.size() == 2);
}

DEVICE_TEST("every number can be followed back to the inputs") {
    const Tensor Q = Tensor{{1, 2}, {3, 4}}.to(device);
    Trace trace;
    const Tensor values = scaled_dot_product(Q, Q, Q, Mask::causal()).values;
    // Depth first from `values`: each tensor is an input or the output of a recorded op.
    std::vector<Tensor> open = {values};
    bool found_input = false;
    int operations = 0;
    while (!open.empty() && operations < 100) {
        const Tensor value = open.back();
        open.pop_back();
        found_input = found_input || value.id() == Q.id();
        if (const Operation* operation = trace.operation_of(value)) {
            ++operations;
            open.insert(open.end(), operation->inputs.begin(), operation->inputs.end());
        }
    }
    CHECK(found_input);
    CHECK(operations >= 6);  // matmul, softmax, masked_fill, div, matmul, permute
}

DEVICE_TEST("replacing a step changes everything after it, and nothing before") {
    const Tensor x = Tensor{1, 2}.to(device);
    Trace trace;
    trace.replace("doubled", Tensor{10, 20}.to(device));
    check_close(two_steps(x), {11, 21}, exact, "output");
    check_close(trace["doubled"], {10, 20}, exact, "the step shows its replacement");
}

TEST_CASE("a replacement applies to a step in a scope, and to the second of one name") {
    Trace trace;
    trace.replace("encoder/0/x", Tensor{7});
    trace.replace("hidden#2", Tensor{8});
    {
        const Scope scope("encoder", 0);
        check_close(named("x", Tensor{1}), Tensor{7}, exact, "encoder/0/x");
    }
    check_close(named("x", Tensor{1}), Tensor{1}, exact, "x");
    check_close(named("hidden", Tensor{1}), Tensor{1}, exact, "hidden");
    check_close(named("hidden", Tensor{1}), Tensor{8}, exact, "hidden#2");
}

TEST_CASE("a replacement of another shape is refused") {
    Trace trace;
    trace.replace("doubled", Tensor{1, 2, 3});
    check_error([] { two_steps({1, 2}); }, "trace: step 'doubled' has shape (2,), its replacement (3,)");
}

TEST_CASE(
    "a replacement for a step that never occurs is reported by the trace, or on stderr if nobody asks") {
    const std::string missing = "trace: replace: there was no step 'double'; the steps are: doubled, output";
    {
        Trace trace;
        trace.replace("double", Tensor{1, 2});
        CHECK(trace.steps().empty());  // no step yet
        two_steps({1, 2});
        check_error([&] { trace.steps(); }, missing);
        check_error([&] { trace["output"]; }, missing);
        trace.replace("double", Tensor{1, 2});
        (void)named("double", Tensor{3, 4});
        check_close(trace["double"], Tensor{1, 2}, exact, "it came after all");
    }
    const std::string told = written_to_stderr([] {
        Trace trace;
        trace.replace("double", Tensor{1, 2});
        two_steps({1, 2});
    });
    CHECK(told == "glassbox: " + missing + "\n");
    const std::string quiet = written_to_stderr([] {
        Trace trace;
        trace.replace("doubled", Tensor{1, 2});
        two_steps({1, 2});
    });
    CHECK(quiet.empty());
}

TEST_CASE("threads trace on their own") {
    Trace mine;
    (void)named("mine", Tensor{1});
    std::vector<std::string> theirs;
    bool listened_before = true;
    std::thread([&] {
        listened_before = Trace::current() != nullptr;
        (void)named("lost", Tensor{1});
        Trace trace;
        const Scope scope("their");
        (void)named("own", Tensor{2});
        theirs = paths(trace);
    }).join();
    CHECK_FALSE(listened_before);
    CHECK(theirs == Paths{"their/own"});
    CHECK(paths(mine) == Paths{"mine"});
    CHECK(Scope::path().empty());
}

TEST_CASE("observers may be destroyed in any order") {
    auto outer = std::make_unique<Trace>();
    auto inner = std::make_unique<Trace>();
    outer.reset();
    CHECK(Trace::current() == inner.get());
    inner.reset();
    CHECK(Trace::current() == nullptr);
}

namespace {

namespace own_step {
constexpr StepInfo doubled{"own", "doubled", "2 x", "Twice as much."};
constexpr StepInfo output{"own", "output", "{0} + 1", "One more."};
}  // namespace own_step

Tensor declared_steps(const Tensor& x) {
    Tensor doubled = named(own_step::doubled, x * 2);
    return named(own_step::output, doubled + 1);
}

}  // namespace

TEST_CASE("a trace keeps the layer's info of its steps") {
    Trace trace;
    declared_steps({1, 2});
    CHECK(trace.steps()[0].info == &own_step::doubled);
    CHECK(paths(trace) == Paths{"doubled", "output"});
    CHECK(trace.steps()[1].value.id() == trace.steps()[1].made.id());
    (void)named("free", Tensor{1});
    CHECK(trace.steps()[2].info == nullptr);
}

TEST_CASE("a value named with the same step again keeps its name, and gets another under another name") {
    Trace trace;
    const Tensor doubled = named(own_step::doubled, Tensor{1} * 2);
    CHECK(named(own_step::doubled, doubled).id() == doubled.id());
    CHECK(named(own_step::output, doubled).id() != doubled.id());
    const Scope scope("inner");
    (void)named(own_step::doubled, doubled);
    CHECK(paths(trace) == Paths{"doubled", "output", "inner/doubled"});
}

TEST_CASE("a hook replaces a step: later steps use the replacement, the original is kept") {
    Trace trace;
    std::vector<std::string> seen;
    trace.set_hook([&](const Frame& frame, const StepInfo& step, const Tensor& made) {
        seen.push_back(frame.path());
        CHECK(frame.contains("doubled") == (step.name == std::string("output")));
        if (&step != &own_step::doubled) return made;
        CHECK(std::string(frame.operation().op) == "mul");
        return named("nothing in a hook is a step", frame.operation().inputs[0] * 3);
    });
    const Scope scope("part");
    const Tensor y = declared_steps({1, 2});
    check_close(y, {4, 7}, exact, "3 x + 1");
    CHECK(seen == Paths{"part/doubled", "part/output"});
    CHECK(paths(trace) == Paths{"part/doubled", "part/output"});
    check_close(trace.steps()[0].made, {2, 4}, exact, "made");
    check_close(trace.steps()[0].value, {3, 6}, exact, "value");
    check_close(trace.steps()[1].made, {4, 7}, exact, "made of what goes on");
}

TEST_CASE("a hook sees steps named by a string too, with a declaration that has their name alone") {
    Trace trace;
    std::string seen;
    trace.set_hook([&](const Frame& frame, const StepInfo& step, const Tensor& made) {
        seen += frame.path() + " " + step.name + step.layer + step.formula + step.sentence;
        return made * 2;
    });
    const Scope scope("mlp");
    const std::string name = "gate";
    check_close(named(name, Tensor{1} * 3), {6}, exact, "2 · 3");
    CHECK(seen == "mlp/gate gate");
    CHECK(trace.steps()[0].info == nullptr);
    check_close(trace.steps()[0].made, {3}, exact, "made");
}

TEST_CASE("a step has a name") {
    check_close(named("", Tensor{1}), {1}, exact, "without a trace");
    Trace trace;
    check_error([] { (void)named("", Tensor{1}); },
                "named: a step needs a name: Tensor gate = named(\"gate\", …)");
}

TEST_CASE("a replaced step that the computation passes by is an error, with what to write") {
    const Tensor x = {1, 2};
    const auto steps_of = [&](const auto& computation) {
        Trace trace;
        trace.replace("a", Tensor{5, 5});
        computation();
        return trace.steps().size();
    };
    const std::string passed_by =
        "trace: replace: step 'a' has no effect: the computation goes on with the tensor that was given to "
        "named(), not with what named() returns (Tensor a = named(\"a\", …), then a)";
    check_error(
        [&] {
            steps_of([&] {
                const Tensor u = x * 2;
                (void)named("a", u);
                (void)named("b", u + 1);
            });
        },
        passed_by);
    check_error(
        [&] {
            steps_of([&] {
                const Tensor u = x * 2, column = reshape(u, {2, 1});
                (void)named("a", u);
                (void)named("b", column + 1);
            });
        },
        passed_by);
    // Right: what follows reads the replacement, alone or too; nothing follows; or only what came before read
    // the tensor.
    CHECK(steps_of([&] {
              const Tensor u = x * 2, a = named("a", u);
              (void)named("b", a + u);
          }) == 2);
    CHECK(steps_of([&] { (void)named("a", x * 2); }) == 1);
    CHECK(steps_of([&] {
              const Tensor u = x * 2, v = u + 1;
              (void)named("a", u);
              (void)named("b", v * 2);
          }) == 2);
    CHECK(steps_of([&] { (void)named("b", named("a", x) + 1); }) == 2);
}

TEST_CASE("a hook's own computation has gradients, and may change the shape") {
    const Tensor x = {1, 2};
    Tape tape;
    Trace trace;
    trace.set_hook([](const Frame& frame, const StepInfo& step, const Tensor& made) {
        if (&step != &own_step::doubled) return made;
        const Tensor input = frame.operation().inputs[0];
        return concat({input * input, input}, 0);
    });
    const Tensor y = declared_steps(x);
    CHECK(y.shape() == Shape{4});
    tape.backward(sum(y));
    check_close(tape.gradient(x), {3, 5}, exact, "2 x + 1");
}

TEST_CASE("a frame lists what exists when a step or an operation is missing; a hook may throw") {
    Trace trace;
    trace.set_hook([](const Frame& frame, const StepInfo&, const Tensor&) { return frame["logits"]; });
    check_error([] { declared_steps({1}); },
                "trace: no step 'logits', nor any other: nothing was named on this thread while the trace "
                "was recording");
    trace.set_hook([](const Frame& frame, const StepInfo&, const Tensor& made) {
        frame.operation();
        return made;
    });
    const Tensor input = {1};
    check_error([&] { return named(own_step::doubled, input); },
                "trace: step 'doubled' is an input, not the result of an operation");
    trace.set_hook({});
    declared_steps({1});
    CHECK(paths(trace) == Paths{"doubled", "output"});
}

TEST_CASE("an operation's settings have names") {
    Trace trace;
    const Tensor x = {{1, 2}, {3, 4}};
    const Operation& norm = *trace.operation_of(layer_norm(x, {1, 1}, {0, 0}, 0.5, Moments::one_pass));
    CHECK(norm["epsilon"] == 0.5);
    CHECK(norm["one_pass"] == 1);
    CHECK_FALSE(norm.has("axis"));
    check_error([&] { norm["axis"]; }, "layer_norm: no setting 'axis'; there are epsilon, one_pass");
    check_error([&] { (*trace.operation_of(x * 2))["axis"]; }, "mul: no setting 'axis'; there are none");
    CHECK((*trace.operation_of(masked_fill(x, Tensor{{1, 0}, {1, 1}}, -9)))["fill"] == -9);
    CHECK((*trace.operation_of(slice(x, 0, 1, 2)))["begin"] == 1);
}
