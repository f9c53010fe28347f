#include <cmath>

#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/errors.h"
#include "tracer/gradients.h"

using namespace tracer;
using glassbox::Trace;
using glassbox::UsageError;
using glassbox_test::check_error;

namespace {

Report report_of(const std::function<void()>& forward) {
    Report report;
    Trace trace;
    forward();
    for (const Trace::Step& step : trace.steps()) report.steps.push_back({step.path, step.value});
    return report;
}

void attend(const Tensor& Q) { scaled_dot_product(Q, Tensor({{3, 0}, {1, 1}}), Tensor({{1, 2}, {3, 5}})); }

}  // namespace

TEST_CASE("gradients: a scalar is a sum, a mean, a sum of squares, or one element") {
    CHECK(Scalar::parse("sum(values)").step() == "values");
    CHECK(Scalar::parse("mean(a/b)").step() == "a/b");
    CHECK(Scalar::parse("sumsq(Q)").step() == "Q");
    CHECK(Scalar::parse("values[0,1]").step() == "values");
    for (const char* text :
         {"", "values", "sum()", "sum(values", "max(values)", "[0,1]", "values[0,1", "sum values"})
        check_error<UsageError>(
            [&] { Scalar::parse(text); },
            std::string("--scalar: sum(values), mean(values), sumsq(values) or values[0,1] "
                        "expected, got '") +
                text + "'");
}

TEST_CASE("gradients: each kind of scalar has the value that its name says") {
    Trace trace;
    named("x", Tensor({{1, 2}, {3, 4}}));
    for (const auto& [text, value] :
         {std::pair{"sum(x)", 10.0}, {"mean(x)", 2.5}, {"sumsq(x)", 30.0}, {"x[1,-1]", 4.0}}) {
        INFO(text);
        CHECK(Scalar::parse(text).value(trace) == value);
        CHECK(static_cast<double>(Scalar::parse(text).of(trace).item()) == value);
    }
    check_error<UsageError>([&] { Scalar::parse("y[0,0]").of(trace); },
                            "--scalar: no step 'y'; the steps are x");
    check_error<UsageError>([&] { Scalar::parse("x[2,0]").of(trace); },
                            "--scalar: x[2,0] lies outside x, whose shape is (2, 2)");
}

TEST_CASE("gradients: the tape's gradient of every step agrees with finite differences") {
    const Tensor Q({{1, 2}, {0, -1}});
    for (const char* scalar : {"sum(values)", "mean(logits)", "sumsq(attention)", "values[1,0]"}) {
        INFO(scalar);
        Report report = report_of([&] { attend(Q); });
        add_gradients(report, Scalar::parse(scalar), {}, [&] { attend(Q); });
        REQUIRE(report.steps.size() == 7);
        for (const Report::Step& step : report.steps) {
            REQUIRE(step.difference.defined());
            glassbox_test::check_close(step.gradient, step.difference, glassbox_test::finite_difference,
                                       step.path);
            CHECK(step.agreement.holds);
            CHECK(step.agreement.text.find("agree to ") == 0);
        }
    }
}

TEST_CASE("gradients: where no finite difference exists nothing is said to agree") {
    const Tensor Q({{glassbox::real(NAN), 2}, {0, -1}});
    Report report = report_of([&] { attend(Q); });
    add_gradients(report, Scalar::parse("sum(values)"), {}, [&] { attend(Q); });
    for (const Report::Step& step : report.steps) {
        CHECK_FALSE(step.agreement.holds);
        CHECK(step.agreement.text == "cannot be compared: all are NaN");
    }
    CHECK(std::isnan(report.steps[0].difference.at({0, 0})));
}

TEST_CASE("gradients: of a large step some numbers are checked and the text says how many") {
    const Tensor x = Tensor::ones({20, 20});
    Report report = report_of([&] { named("x", x); });
    add_gradients(report, Scalar::parse("sumsq(x)"), {}, [&] { named("x", x); });
    CHECK_FALSE(report.steps[0].difference.defined());
    CHECK(report.steps[0].agreement.text.find(" of 400 numbers checked") != std::string::npos);
}

TEST_CASE("gradients: a gradient that is wrong is said to differ, and by how much") {
    const Tensor x({{1, 2}, {3, 4}});
    bool is_first = true;  // the tape follows x, the finite differences what is twice as steep
    const auto forward = [&] {
        const Tensor y = glassbox::named("x", x);
        glassbox::named("y", is_first ? y : 2.0 * y);
        is_first = false;
    };
    Report report;
    report.steps.push_back({"x", x});
    add_gradients(report, Scalar::parse("sum(y)"), {}, forward);
    CHECK_FALSE(report.steps[0].agreement.holds);
    CHECK(report.steps[0].agreement.text == "differ by up to 1.0e+00");
}

TEST_CASE("gradients: only a hidden score is left out of the comparison, not a number as large") {
    const real large = real(-1e15);
    const Tensor Q({{1, 2}, {0, -1}}), V({{large, 2}, {3, 5}});
    const glassbox::Mask mask = glassbox::Mask::causal();
    const auto forward = [&] { scaled_dot_product(Q, Q, V, mask); };
    Report report = report_of(forward);
    add_gradients(report, Scalar::parse("sum(values)"), mask.visible({2, 2}), forward);
    for (const Report::Step& step : report.steps) {
        INFO(step.path << ": " << step.agreement.text);
        if (step.path == "V") CHECK(step.difference.at({0, 0}) > real(1));  // its weight in both rows
        if (step.path == "masked") {
            CHECK(step.difference.at({0, 1}) == 0);
            CHECK(step.agreement.text.find(" (without the 1 hidden scores)") != std::string::npos);
        }
    }
}

TEST_CASE("gradients: where a row sees no key, its scores have no finite difference and none is shown") {
    const Tensor Q({{1, 2}, {0, -1}});
    const glassbox::Mask mask = glassbox::Mask::lengths({0});
    const auto forward = [&] { scaled_dot_product(Q, Q, Q, mask); };
    Report report = report_of(forward);
    add_gradients(report, Scalar::parse("sum(values)"), mask.visible({2, 2}), forward);
    const Report::Step& masked = *report.find("masked");
    CHECK(std::isnan(masked.difference.at({0, 0})));
    CHECK(masked.agreement.text == "nothing to compare (without the 4 hidden scores)");
}
