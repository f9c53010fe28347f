#include <cmath>

#include <glassbox/layers/scaled_dot_product.h>

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
        add_gradients(report, Scalar::parse(scalar), [&] { attend(Q); });
        REQUIRE(report.steps.size() == 7);
        for (const Report::Step& step : report.steps) {
            REQUIRE(step.difference.defined());
            glassbox_test::check_close(step.gradient, step.difference, glassbox_test::finite_difference,
                                       step.path);
            CHECK(step.gradient_summary.find("largest difference ") == 0);
        }
    }
}

TEST_CASE("gradients: a step that no finite difference could follow says nan, whatever comes after it") {
    const Tensor Q({{glassbox::real(NAN), 2}, {0, -1}});
    Report report = report_of([&] { attend(Q); });
    add_gradients(report, Scalar::parse("sum(values)"), [&] { attend(Q); });
    CHECK(report.steps[0].gradient_summary == "largest difference nan");
}

TEST_CASE("gradients: of a large step some numbers are checked and the text says how many") {
    const Tensor x = Tensor::ones({20, 20});
    Report report = report_of([&] { named("x", x); });
    add_gradients(report, Scalar::parse("sumsq(x)"), [&] { named("x", x); });
    CHECK_FALSE(report.steps[0].difference.defined());
    CHECK(report.steps[0].gradient_summary.find(" of 400 numbers checked") != std::string::npos);
}
