// Gradient buffers state by state, traces longer than their tables, and what is told when something is
// missing.
#include <glassbox/observe/detail/gradient_buffers.h>
#include <glassbox/observe/record.h>
#include <glassbox/observe/trace.h>

#include <optional>

#include <glassbox/backend/backend.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/detail/mutable_view.h>

#include "support/compare.h"
#include "support/errors.h"
#include "support/standard_error.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

void write(Tensor buffer, const Tensor& numbers) {
    backend(Device::cpu).copy(numbers.view(), mutable_view(buffer));
}

}  // namespace

TEST_CASE("a gradient buffer is lent once, is written in place or by a copy, and then added to") {
    const Tensor x = {1, 2}, other = {3, 4};
    const Tensor block = Tensor::full({2}, 99);
    GradientBuffers buffers({{x.id(), block}});
    CHECK(buffers.size() == 1);
    CHECK(buffers.has(x.id()));
    CHECK_FALSE(buffers.has(other.id()));
    CHECK_FALSE(buffers.is_written(0));
    CHECK(buffers.find_written(x.id()) == nullptr);
    CHECK(buffers.filled(x) == nullptr);
    CHECK(buffers.filled(other) == nullptr);

    const Tensor lent = buffers.lend(x);
    CHECK(lent.shares_storage_with(block));
    CHECK_FALSE(buffers.lend(x).shares_storage_with(block));  // it is lent already
    CHECK_FALSE(buffers.lend(other).shares_storage_with(block));
    CHECK(buffers.lend(other).shape() == other.shape());
    CHECK(buffers.filled(x) == nullptr);
    CHECK(buffers.find_written(x.id()) == nullptr);
    write(lent, {5, 6});
    buffers.take_back(x.id(), lent);
    CHECK(buffers.find_written(x.id()) == nullptr);
    CHECK(buffers.filled(x) == nullptr);  // not yet
    CHECK(buffers.add(x.id(), lent));     // in place
    CHECK(buffers.is_written(0));
    check_close(block, {5, 6}, exact, "in place");
    CHECK(buffers.add(x.id(), Tensor{10, 20}));
    check_close(block, {15, 26}, exact, "and another");
    CHECK(buffers.find_written(x.id()) != nullptr);
    REQUIRE(buffers.filled(x) != nullptr);
    CHECK(buffers.filled(x)->shares_storage_with(block));
    CHECK_FALSE(buffers.lend(x).shares_storage_with(block));  // it is in use
    CHECK_FALSE(buffers.add(other.id(), other));
    buffers.take_back(other.id(), other);  // nothing to take back

    buffers.finish();
    check_close(block, {15, 26}, exact, "finished");
    buffers.begin();
    CHECK_FALSE(buffers.is_written(0));
    CHECK(buffers.lend(x).shares_storage_with(block));
}

TEST_CASE(
    "a gradient in a lent buffer counts as such only if it is the buffer, all of it, and was given back") {
    const Tensor x = {1, 2}, block = Tensor::full({2}, 99);
    {  // a copy of the lent buffer under another id is the buffer
        GradientBuffers buffers({{x.id(), block}});
        const Tensor lent = buffers.lend(x);
        write(lent, {5, 6});
        const Tensor alias = lent.alias(lent.shape(), lent.strides());
        buffers.take_back(x.id(), alias);
        CHECK(buffers.add(x.id(), alias));
        check_close(block, {5, 6}, exact, "alias");
    }
    {  // another tensor is copied, although the buffer is lent
        GradientBuffers buffers({{x.id(), block}});
        (void)buffers.lend(x);
        const Tensor else_where = {7, 8};
        buffers.take_back(x.id(), else_where);
        CHECK(buffers.add(x.id(), else_where));
        check_close(block, {7, 8}, exact, "copied");
    }
    {  // its parts in another order are read before they are written
        GradientBuffers buffers({{x.id(), block}});
        const Tensor lent = buffers.lend(x);
        write(lent, {5, 6});
        const Tensor second = lent.alias({2}, {0}, 1);  // the second number twice
        buffers.take_back(x.id(), second);
        CHECK(buffers.add(x.id(), second));
        check_close(block, {6, 6}, exact, "strided");
    }
    {  // given back, and then a different gradient: the two are added
        GradientBuffers buffers({{x.id(), block}});
        const Tensor lent = buffers.lend(x);
        write(lent, {5, 6});
        buffers.take_back(x.id(), lent);
        CHECK(buffers.add(x.id(), Tensor{1, 1}));
        check_close(block, {6, 7}, exact, "added");
    }
}

TEST_CASE("buffers are found by their tensor, whatever the order and the gaps of the identities") {
    std::vector<Tensor> tensors;
    for (int i = 0; i < 9; ++i) tensors.push_back(Tensor{static_cast<real>(i)});
    const Tensor before = tensors[0], between = tensors[3], after = tensors[8];
    std::vector<std::pair<Tensor::Id, Tensor>> given;
    for (const std::size_t i : {7u, 1u, 2u, 5u}) given.emplace_back(tensors[i].id(), Tensor::zeros({1}));
    GradientBuffers buffers(given);
    for (std::size_t k = 0; k < 4; ++k) {
        const std::size_t i = std::array<std::size_t, 4>{7, 1, 2, 5}[k];
        CHECK(buffers.add(tensors[i].id(), Tensor{static_cast<real>(10 * i)}));
        CHECK(buffers.buffer(k).item() == static_cast<real>(10 * i));
        CHECK(buffers.is_written(k));
    }
    for (const Tensor& none : {before, between, tensors[4], tensors[6], after})
        CHECK_FALSE(buffers.has(none.id()));
    CHECK_FALSE(GradientBuffers({}).has(before.id()));
    CHECK(GradientBuffers({}).size() == 0);
    GradientBuffers one({{between.id(), Tensor::zeros({1})}});
    CHECK(one.has(between.id()));
    CHECK_FALSE(one.has(tensors[2].id()));
    CHECK_FALSE(one.has(tensors[4].id()));
}

TEST_CASE("unwritten buffers become 0, and count as written") {
    const Tensor x = {1, 2}, y = {3};
    GradientBuffers buffers({{x.id(), Tensor::full({2}, 9)}, {y.id(), Tensor::full({1}, 9)}});
    buffers.add(y.id(), Tensor{4});
    buffers.finish();
    check_close(buffers.buffer(0), {0, 0}, exact, "x");
    check_close(buffers.buffer(1), {4}, exact, "y");
    CHECK(buffers.is_written(0));
    buffers.add(x.id(), Tensor{1, 1});
    buffers.add(x.id(), Tensor{1, 1});
    check_close(buffers.buffer(0), {2, 2}, exact, "added to");
    check_error(
        [&] {
            GradientBuffers({{x.id(), Tensor{1, 2}}, {y.id(), Tensor{1}}, {x.id(), Tensor{1, 2}}});
        },
        "gradient buffers: one buffer per tensor, buffers 0 and 2 are for the same one");
}

TEST_CASE("a trace finds every one of many steps and values, also those made before it") {
    const Tensor outside = {7};
    Trace trace;
    const int count = 700;
    const Tensor early = Tensor{1} * 2;  // made first, and named last
    std::vector<Tensor> values;
    for (int i = 0; i < count; ++i) {
        values.push_back(named(fmt::format("step{}", i), Tensor{static_cast<real>(i)} * 2));
        if (i % 50 == 0) CHECK(trace.position_of(fmt::format("step{}", i)) == i);
    }
    const Tensor seen = named("outside", outside);
    (void)named("early", early);
    CHECK(trace.steps().size() == static_cast<std::size_t>(count) + 2);
    CHECK(trace.step_of(early)->path == "early");
    for (int i = 0; i < count; ++i) {
        const std::string path = fmt::format("step{}", i);
        REQUIRE(trace.contains(path));
        REQUIRE(trace.position_of(path) == i);
        REQUIRE(trace[path].item() == static_cast<real>(2 * i));
        REQUIRE(trace.step_of(values[static_cast<std::size_t>(i)])->path == path);
        REQUIRE(std::string(trace.operation_of(values[static_cast<std::size_t>(i)])->op) == "mul");
    }
    CHECK(trace.position_of("step700") == -1);
    CHECK_FALSE(trace.contains("step"));
    CHECK(trace.step_of(seen)->path == "outside");
    CHECK(trace.step_of(outside) == nullptr);  // the step is another value of the same numbers
    CHECK(trace.operation_of(outside) == nullptr);
    CHECK(trace.step_of(Tensor{1}) == nullptr);
}

TEST_CASE("a step of one name comes up to a hundred times, each with its number") {
    Trace trace;
    for (int i = 1; i <= 100; ++i) (void)named("x", Tensor{static_cast<real>(i)});
    CHECK(trace["x"].item() == 1);
    for (int i = 2; i <= 100; ++i) CHECK(trace[fmt::format("x#{}", i)].item() == static_cast<real>(i));
    CHECK_FALSE(trace.contains("x#1"));
    CHECK_FALSE(trace.contains("x#101"));
}

TEST_CASE("a step that did not come is not complained about where another error is under way") {
    const auto traced = [](bool throws) {
        try {
            Trace trace;
            trace.replace("missing", Tensor{1});
            (void)named("there", Tensor{1});
            if (throws) throw Error("something else");
        } catch (const Error&) {
        }
    };
    CHECK(written_to_stderr([&] { traced(true); }).empty());
    CHECK(written_to_stderr([&] { traced(false); }) ==
          "glassbox: trace: replace: there was no step 'missing'; the steps are: there\n");
    CHECK(written_to_stderr([] {
              try {
                  throw Error("caught");
              } catch (const Error&) {  // handled: no longer under way
                  Trace trace;
                  trace.replace("missing", Tensor{1});
                  (void)named("there", Tensor{1});
              }
          }).find("there was no step 'missing'") != std::string::npos);
}

TEST_CASE("in a hook the steps may be read although a replacement is still to come") {
    Trace trace;
    constexpr StepInfo first{"own", "first", "", ""}, second{"own", "second", "", ""};
    trace.replace("second", Tensor{9});
    std::size_t seen = 0;
    trace.set_hook([&](const Frame& frame, const StepInfo&, const Tensor& made) {
        seen += frame.trace().steps().size();
        return made;
    });
    (void)named(first, Tensor{1});
    check_close(named(second, Tensor{2}), Tensor{9}, exact, "second");
    CHECK(seen == 1);
    CHECK(trace.steps().size() == 2);
}

TEST_CASE("a frame finds what is beside its step: values, operations, and what was made before a hook") {
    Trace trace;
    constexpr StepInfo doubled{"own", "doubled", "", ""}, output{"own", "output", "", ""};
    std::vector<std::string> found;
    trace.set_hook([&](const Frame& frame, const StepInfo& step, const Tensor& made) {
        if (&step == &doubled) return made * 10;
        if (step.name == std::string_view("input")) return made;
        found = {frame.path(), frame.operation().op, frame.operation("doubled").op};
        CHECK(frame.contains("doubled"));
        CHECK_FALSE(frame.contains("output"));
        CHECK_FALSE(frame.contains("part/doubled"));
        check_close(frame["doubled"], {40}, exact, "after the hook");
        check_close(frame.operation("doubled").output, {4}, exact, "before it");
        check_error([&] { (void)frame["tripled"]; },
                    "trace: no step 'part/tripled'; the steps are: part/input, part/doubled");
        check_error([&] { frame.operation("tripled"); },
                    "trace: no step 'part/tripled'; the steps are: part/input, part/doubled");
        check_error([&] { frame.operation("input"); },
                    "trace: step 'part/input' is an input, not the result of an operation");
        return made;
    });
    const Scope scope("part");
    const Tensor x = named("input", Tensor{2});
    const Tensor y = named(doubled, x * 2);
    (void)named(output, y + 1);
    CHECK(found == std::vector<std::string>{"part/output", "add", "mul"});
}

TEST_CASE("an operation without settings, with one and with two says which there are") {
    const auto message = [](const Operation& operation) {
        try {
            (void)operation["fill"];
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    Operation none{"f", {}, {}}, one{"f", {}, {}}, two{"f", {}, {}};
    one.settings.add(Setting("axis", 2));
    two.settings.add(Setting("axis", 2)), two.settings.add(Setting("size", 0.5));
    CHECK(message(none) == "f: no setting 'fill'; there are none");
    CHECK(message(one) == "f: no setting 'fill'; there is axis");
    CHECK(message(two) == "f: no setting 'fill'; there are axis, size");
    CHECK(one.axis() == 2);
    CHECK(two["size"] == 0.5);
    CHECK(two.has("size"));
    CHECK_FALSE(one.has("size"));
    CHECK_FALSE(none.has("axis"));
}

namespace {

namespace fields {
constexpr StepInfo input{"own", "input", "", ""}, given{"own", "given", "as given", ""},
    second{"own", "second", "the second", ""}, one{"own", "one", "f({0})", ""},
    two{"own", "two", "{0} + {1}", ""}, third{"own", "third", "{0}, {1} and {2}", ""},
    maybe{"own", "maybe", "{0}{1? + b}{2? + c}", ""}, filled{"own", "filled", "x, or {fill}", ""},
    product{"own", "product", "{factors}", ""};
}  // namespace fields

// The formula of the last step.
std::string last_formula(const Trace& trace) { return formula_of(trace, trace.steps().back()); }

}  // namespace

TEST_CASE("formula: inputs have the names of their steps, of the nearest if they are views of it") {
    Trace trace;
    const Tensor free = {{1, 2}, {3, 4}};
    const Tensor a = named(fields::input, free), b = named(fields::second, free + 1);
    (void)named(fields::one, exp(a));
    CHECK(last_formula(trace) == "f(input)");
    (void)named(fields::one, exp(transpose(slice(a, 0, 0, 1))));
    CHECK(last_formula(trace) == "f(input)");
    (void)named(fields::one, exp(Tensor{{5}}));
    CHECK(last_formula(trace) == "f(x)");  // without a name
    (void)named(fields::two, a + b);
    CHECK(last_formula(trace) == "input + second");
    (void)named(fields::two, b - a);
    CHECK(last_formula(trace) == "second + input");
    (void)named(fields::third, a * b);
    CHECK(last_formula(trace) == "input, second and ?");  // it has no third
    (void)named(fields::maybe, a * b);
    CHECK(last_formula(trace) == "input + b");
    (void)named(fields::maybe, exp(a));
    CHECK(last_formula(trace) == "input");
    (void)named(fields::maybe, linear(a, b, Tensor{1, 2}));
    CHECK(last_formula(trace) == "input + b + c");
    constexpr StepInfo ninth{"own", "ninth", "x{9? + z}", ""};
    (void)named(ninth, exp(a));
    CHECK(last_formula(trace) == "x");
    CHECK(formula_of(trace, trace.steps()[0]).empty());
    const Tensor c = named(fields::given, Tensor{1});
    CHECK(last_formula(trace) == "as given");  // an input with a formula without fields
    (void)named(fields::one, Tensor{2});
    CHECK(last_formula(trace).empty());  // with fields, which no operation fills in
    (void)named("free", exp(c));
    CHECK(last_formula(trace).empty());
    {
        const Scope scope("part");
        (void)named(fields::one, exp(a));
        CHECK(last_formula(trace) == "f(x)");  // from outside of this scope
        const Tensor inside = named(fields::second, a + 1);
        (void)named(fields::one, exp(inside));
        CHECK(last_formula(trace) == "f(second)");
        const Scope deeper("deeper");
        (void)named(fields::one, exp(inside));
        CHECK(last_formula(trace) == "f(x)");
    }
    const Tensor below = trace["part/second"];
    (void)named(fields::one, exp(below));
    CHECK(last_formula(trace) == "f(part/second)");
}

TEST_CASE("formula: settings have a minus sign, an infinity sign and no plus in the exponent") {
    struct Case {
        double fill;
        const char* text;
    };
    const Tensor x = {{1, 2}, {3, 4}}, mask = {{1, 0}, {1, 1}};
    for (const auto& [fill, text] : {Case{-9e15, "−9e15"},
                                     {9e15, "9e15"},
                                     {-infinity, "−∞"},
                                     {infinity, "∞"},
                                     {0, "0"},
                                     {-2.5, "−2.5"},
                                     {1.5, "1.5"},
                                     {1e-7, "1e-07"}}) {
        Trace trace;
        (void)named(fields::filled, masked_fill(x, mask, fill));
        CHECK(last_formula(trace) == std::string("x, or ") + text);
    }
}

TEST_CASE("formula: of a product only what has a name is a factor, through products without one") {
    Trace trace;
    const Tensor a = named(fields::input, Tensor{2}), b = named(fields::second, Tensor{3});
    (void)named(fields::product, a * b);
    CHECK(last_formula(trace) == "input · second");
    (void)named(fields::product, (a * b) * a);
    CHECK(last_formula(trace) == "input · second · input");
    (void)named(fields::product, Tensor{1} * b);
    CHECK(last_formula(trace) == "second");
    (void)named(fields::product, exp(a) * b);
    CHECK(last_formula(trace) == "second");
    (void)named(fields::product, Tensor{1} * Tensor{1});
    CHECK(last_formula(trace) == "1");
    const Scope scope("part");
    (void)named(fields::product, a * named(fields::input, Tensor{1}));
    CHECK(last_formula(trace) == "x · input");
}

TEST_CASE("formula: without a computation inputs are x, y, z, and every part is there") {
    CHECK(formula_of(fields::third) == "x, y and z");
    CHECK(formula_of(fields::maybe) == "x + b + c");
    CHECK(formula_of(fields::filled) == "x, or fill");
    CHECK(formula_of(fields::product) == "the product of all factors");
    CHECK(formula_of(fields::input).empty());
    constexpr StepInfo fourth{"own", "y", "{3}{x} _{0} a_{i}", ""};
    CHECK(formula_of(fourth) == "3x _{0} a_{i}");
}

TEST_CASE("a tape tells a value without influence from one that it never saw, with and without buffers") {
    const Tensor x = {1, 2}, unused = {3}, never = {4};
    const Tensor block = Tensor::zeros({2});
    for (const bool buffered : {false, true}) {
        GradientBuffers buffers({{x.id(), block}});
        Tape tape(buffered ? &buffers : nullptr);
        const Tensor aside = unused * 2, loss = sum(x * x);
        check_error([&] { tape.gradient(x); }, "gradient: call backward first");
        tape.backward(loss);
        check_close(tape.gradient(x), {2, 4}, exact, "x");
        if (buffered) {
            check_error([&] { tape.gradient(unused); },
                        "gradient: x of shape (1,) has no buffer on a tape with gradient buffers: call "
                        "tape.keep(x) before backward");
            continue;
        }
        check_close(tape.gradient(unused), {0}, exact, "unused");
        CHECK_THROWS_AS(tape.gradient(never), Error);
        CHECK_THROWS_AS(tape.gradient(aside), Error);
    }
}

TEST_CASE("of several tensors made before a tape each has its own gradient, in any order of use") {
    std::vector<Tensor> outside;
    for (int i = 0; i < 7; ++i) outside.push_back(Tensor{static_cast<real>(i + 1)});
    Tape tape;
    Tensor total = outside[3] * 1.0;
    for (const std::size_t i : {5u, 0u, 6u, 2u, 1u, 4u, 3u})
        total = total + outside[i] * static_cast<double>(10 * (i + 1));
    tape.backward(total);
    for (std::size_t i = 0; i < 7; ++i)
        CHECK(tape.gradient(outside[i]).item() == static_cast<real>(10 * (i + 1) + (i == 3)));
}

TEST_CASE("a backward pass begins from one number, or from a gradient of the same shape") {
    const auto loss_of = [](const Tensor& x) { return x * 2; };
    const Tensor one = Tensor({1, 1}, {3}), two = {1, 2};
    {
        Tape tape;
        tape.backward(loss_of(one));
        check_close(tape.gradient(one), Tensor({1, 1}, {2}), exact, "one");
    }
    Tape tape;
    const Tensor y = loss_of(two);
    check_error([&] { tape.backward(y); }, "backward: the loss must be one number, its shape is (2,)");
    check_error([&] { tape.backward(y, Tensor{1}); }, "backward: y has shape (2,), its gradient (1,)");
    check_error([&] { tape.backward(Tensor::zeros({0})); },
                "backward: the loss must be one number, its shape is (0,)");
    tape.backward(y, {3, 4});
    check_close(tape.gradient(two), {6, 8}, exact, "two");
}
