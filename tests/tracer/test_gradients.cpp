#include <algorithm>
#include <cmath>
#include <limits>

#include <glassbox/conventions/made.h>
#include <glassbox/io/numpy.h>
#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/ops/ops.h>

#include "command.h"
#include "support/compare.h"
#include "support/errors.h"
#include "tracer/report/gradients.h"
#include "tracer/report/renderer.h"
#include "tracer/report/text_report.h"

using namespace glassbox;
using namespace glassbox::tracer;
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
            std::string("--scalar: expected sum(values), mean(values), sumsq(values) or values[0,1], "
                        "got '") +
                text + "'");
}

TEST_CASE("gradients: each kind of scalar has the value of its name") {
    Trace trace;
    (void)named("x", Tensor({{1, 2}, {3, 4}}));
    for (const auto& [text, value] :
         {std::pair{"sum(x)", 10.0}, {"mean(x)", 2.5}, {"sumsq(x)", 30.0}, {"x[1,-1]", 4.0}}) {
        INFO(text);
        CHECK(Scalar::parse(text).value(trace) == value);
        CHECK(static_cast<double>(Scalar::parse(text).of(trace).item()) == value);
    }
    check_error<UsageError>([&] { Scalar::parse("y[0,0]").of(trace); },
                            "--scalar: no step 'y'; the steps are x");
    check_error<UsageError>([&] { Scalar::parse("x[2,0]").of(trace); },
                            "--scalar: x[2,0] is outside x, which has shape (2, 2)");
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
            CHECK(step.agreement.holds);
            CHECK(step.agreement.text.starts_with("agree "));
        }
    }
}

TEST_CASE("gradients: without a finite difference there is no agreement") {
    const Tensor Q({{glassbox::real(NAN), 2}, {0, -1}});
    Report report = report_of([&] { attend(Q); });
    add_gradients(report, Scalar::parse("sum(values)"), [&] { attend(Q); });
    for (const Report::Step& step : report.steps) {
        CHECK_FALSE(step.agreement.holds);
        CHECK(step.agreement.text == "cannot be compared: all are NaN");
    }
    CHECK(std::isnan(report.steps[0].difference.at({0, 0})));
}

TEST_CASE("gradients: of a large step some numbers are checked, and the text gives their number") {
    const Tensor x = Tensor::ones({20, 20});
    Report report = report_of([&] { (void)named("x", x); });
    add_gradients(report, Scalar::parse("sumsq(x)"), [&] { (void)named("x", x); });
    CHECK_FALSE(report.steps[0].difference.defined());
    CHECK(report.steps[0].agreement.text.find(" of 400 numbers checked") != std::string::npos);
}

TEST_CASE("gradients: a wrong gradient is reported as different, with the difference") {
    const Tensor x({{1, 2}, {3, 4}});
    bool is_first = true;  // the tape gets x, finite differences twice the slope
    const auto forward = [&] {
        const Tensor y = glassbox::named("x", x);
        (void)glassbox::named("y", is_first ? y : 2.0 * y);
        is_first = false;
    };
    Report report;
    report.steps.push_back({"x", x});
    add_gradients(report, Scalar::parse("sum(y)"), forward);
    CHECK_FALSE(report.steps[0].agreement.holds);
    CHECK(report.steps[0].agreement.text.find("differ by up to 1.0e+00 (tolerance ") == 0);
}

TEST_CASE("gradients: only a hidden score is left out of the comparison, not an equally large number") {
    const real large = real(-1e15);
    const Tensor Q({{1, 2}, {0, -1}}), V({{large, 2}, {3, 5}});
    const glassbox::Mask mask = glassbox::Mask::causal();
    const auto forward = [&] { scaled_dot_product(Q, Q, V, mask); };
    Report report = report_of(forward);
    add_gradients(report, Scalar::parse("sum(values)"), forward);
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
    add_gradients(report, Scalar::parse("sum(values)"), forward);
    const Report::Step& masked = *report.find("masked");
    CHECK(std::isnan(masked.difference.at({0, 0})));
    CHECK(masked.agreement.text == "nothing to compare (without the 4 hidden scores)");
}

TEST_CASE("gradients: a deep trace stays within its budget of runs, with equal numbers for each step",
          "[exhaustive]") {
    const Tensor x = Tensor::ones({64, 8});
    int runs = 0;
    const auto forward = [&] {
        ++runs;
        Tensor y = x;
        for (int i = 0; i < 150; ++i) y = glassbox::named("y" + std::to_string(i), y * 1.0);
    };
    Report report = report_of(forward);
    runs = 0;
    CHECK(add_gradients(report, Scalar::parse("sum(y149)"), forward));
    CHECK(runs > 2000);
    CHECK(runs <= 12288);
    const std::string& first = report.steps[0].agreement.text;
    CHECK(first.find(" of 512 numbers checked") != std::string::npos);
    for (const Report::Step& step : report.steps)
        CHECK(step.agreement.text.substr(step.agreement.text.find(", ")) == first.substr(first.find(", ")));
}

TEST_CASE("gradients: of a long computation few numbers are checked, and skipped steps are reported",
          "[exhaustive]") {
    int runs = 0;
    const auto forward_of = [&](int steps, glassbox::index_t numbers) {
        return [&runs, steps, x = Tensor::ones({numbers})] {
            ++runs;
            Tensor y = x;
            for (int i = 0; i < steps; ++i) y = glassbox::named("y" + std::to_string(i), y);
        };
    };
    const auto checked = [&](int steps, glassbox::index_t numbers) {
        Report report;
        for (int i = 0; i < steps; ++i)
            report.steps.push_back({"y" + std::to_string(i), Tensor::ones({numbers})});
        runs = 0;
        add_gradients(report, Scalar::parse("y0[0]"), forward_of(steps, numbers));
        return report;
    };
    CHECK(checked(2, 1000).steps[0].agreement.text.ends_with(", 256 of 1000 numbers checked"));
    CHECK(checked(2, 4000000).steps[0].agreement.text.ends_with(" of 4000000 numbers checked"));
    CHECK(runs < 300);

    const Report report = checked(60, 1000000);
    CHECK(runs < 60);
    CHECK(report.steps[0].agreement.text.ends_with(", 1 of 1000000 numbers checked"));
    CHECK_FALSE(report.steps[1].agreement.holds);
    CHECK(report.steps[1].agreement.text.find("not checked: ") == 0);
}

TEST_CASE("gradients: progress is reported once per run, and the expected runs become exact") {
    const Tensor Q({{1, 2}, {0, -1}});
    int runs = 0;
    const auto forward = [&] {
        ++runs;
        attend(Q);
    };
    Report report = report_of(forward);
    runs = -1;  // the tape's run is not counted
    std::vector<std::pair<index_t, index_t>> told;
    add_gradients(report, Scalar::parse("sum(values)"), forward, {}, {},
                  [&](index_t done, index_t expected) { told.emplace_back(done, expected); });
    REQUIRE(static_cast<int>(told.size()) == runs);
    for (std::size_t i = 0; i < told.size(); ++i) {
        CHECK(told[i].first == static_cast<index_t>(i) + 1);
        CHECK(told[i].first <= told[i].second);
    }
    CHECK(told.back().second - told.back().first < 10);
}

TEST_CASE("gradients: a kink is reported where the gradient is between both slopes, and only there") {
    const Tensor x({{0, 1, 0.01, -0.01}});
    const auto forward = [&] { (void)glassbox::named("y", glassbox::relu(glassbox::named("x", x)) * 3.0); };
    Report report = report_of(forward);
    CHECK(add_gradients(report, Scalar::parse("sum(y)"), forward));
    CHECK(report.find("x")->agreement.holds);
    CHECK(report.find("x")->agreement.text.find(", 1 at a kink") != std::string::npos);
    CHECK(report.find("x")->gradient.at({0, 2}) == 3);

    bool is_first = true;  // the tape gets a relu with a slope of 3 · 0.5 everywhere
    const auto wrong = [&] {
        const Tensor y = glassbox::named("x", x);
        (void)glassbox::named("y", is_first ? y * 1.5 : glassbox::relu(y) * 3.0);
        is_first = false;
    };
    report = report_of(forward);
    CHECK_FALSE(add_gradients(report, Scalar::parse("sum(y)"), wrong));
    CHECK(report.find("x")->agreement.text.find("differ by up to 1.0e+00 (tolerance ") == 0);
}

TEST_CASE("gradients: at a maximum shared by three, the gradient is between the slopes") {
    const Tensor x({{2, 2, 2, 1}});
    const auto forward = [&] { (void)glassbox::named("y", glassbox::max(glassbox::named("x", x), -1)); };
    Report report = report_of(forward);
    CHECK(add_gradients(report, Scalar::parse("sum(y)"), forward));
    CHECK(report.find("x")->agreement.text.find(", 3 at a kink") != std::string::npos);
}

TEST_CASE("gradients: tokens are integers and are left out; NaN is not a disagreement") {
    const Tensor table({{1, 2}, {3, 4}}), ids({1, 0, 1});
    const auto forward = [&] {
        const Tensor tokens = glassbox::named("tokens", ids);
        (void)glassbox::named("rows", glassbox::embedding(table, glassbox::reshape(tokens, {3, 1})) * 2.0);
    };
    Report report = report_of(forward);
    CHECK(add_gradients(report, Scalar::parse("sum(rows)"), forward));
    CHECK_FALSE(report.find("tokens")->gradient.defined());
    CHECK(report.find("tokens")->agreement.text == "whole numbers: no gradient");
    CHECK(report.find("rows")->agreement.holds);

    const Tensor Q({{glassbox::real(NAN), 2}, {0, -1}});
    report = report_of([&] { attend(Q); });
    CHECK(add_gradients(report, Scalar::parse("sum(values)"), [&] { attend(Q); }));
}

namespace {
std::string rendered(const std::string& format, const Report& report) {
    for (const Renderer& each : renderers())
        if (each.name == format) return each.render(report, {});
    return "no such format";
}
}  // namespace

TEST_CASE("gradients: of parameters, which are changed in place and restored") {
    const auto stream = glassbox::make_stream(glassbox::Rng::jax, 1);
    auto block = glassbox::made<glassbox::EncoderBlock>({.d_model = 4, .heads = 2, .d_ff = 8}, *stream);
    const Tensor x = stream->normal({3, 4});
    const auto parameters = [&] { return glassbox::parameters_of(block); };
    const glassbox::NamedTensors before = parameters().values();
    const auto forward = [&] { block(x); };
    Report report = report_of(forward);
    CHECK(add_gradients(report, Scalar::parse("norm2[0,1]"), forward, parameters));
    REQUIRE(report.parameters.size() == before.size());
    double most = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const Report::Parameter& each = report.parameters[i];
        CHECK(each.name == before[i].first);
        CHECK(parameters().entries()[i].tensor->values() == before[i].second.values());
        CHECK(each.gradient.shape() == each.value.shape());
        CHECK(each.agreement.text.starts_with("agree "));
        for (const real g : each.gradient.values()) most = std::max(most, std::abs(static_cast<double>(g)));
    }
    CHECK(most > 0.1);

    const std::string text = render_parameters(report, {});
    CHECK(text.find("Parameters, the norm of ∂norm2[0,1]/∂ each") == 0);
    CHECK(text.find("\n   self_attn.qkv_proj.weight  (12, 4)") != std::string::npos);
    const std::string as_json = rendered("json", report);
    CHECK(
        as_json.find("\n], \"parameters\": [\n {\"name\": \"self_attn.qkv_proj.weight\", \"shape\": [12, 4], "
                     "\"gradient\": [[") != std::string::npos);
    const std::string npz = rendered("npz", report);
    CHECK(npz.find("grad/weights/norm1.bias.npy") != std::string::npos);
}

TEST_CASE("gradients: a parameter with a wrong gradient is reported as different") {
    Tensor w({2, 3});
    bool is_first = true;
    const auto forward = [&] {
        (void)glassbox::named("y", is_first ? w * 1.0 : w * 2.0);
        is_first = false;
    };
    const auto parameters = [&] {
        glassbox::Parameters all;
        all("w", w);
        return all;
    };
    Report report;
    CHECK_FALSE(add_gradients(report, Scalar::parse("sum(y)"), forward, parameters));
    CHECK(report.parameters[0].agreement.text.find("differ by up to 1.0e+00 (tolerance ") == 0);
}

namespace {

// The check of step `path` when the tape's gradient of its largest number is wrong by this fraction and the
// finite differences are right: only the tape's run has a scalar with a small extra term.
Report::Check agreement_when_wrong(const std::function<Tensor()>& computation, const std::string& path,
                                   double share) {
    bool is_first = false;
    std::vector<real> gradient;
    const auto forward = [&] {
        Tensor s = computation();
        if (is_first) {
            const Tensor& x = (*Trace::current())[path];
            const auto most = std::max_element(gradient.begin(), gradient.end(),
                                               [](real a, real b) { return std::abs(a) < std::abs(b); });
            std::vector<real> kick(gradient.size());
            kick[static_cast<std::size_t>(most - gradient.begin())] = static_cast<real>(share) * *most;
            s = s + sum((x - Tensor(x.shape(), x.values())) * Tensor(x.shape(), kick));
        }
        is_first = false;
        (void)named("s", s);
    };
    Report report = report_of(forward);
    report.steps = {*report.find(path)};
    CHECK(add_gradients(report, Scalar::parse("sum(s)"), forward));
    gradient = report.steps[0].gradient.values();
    is_first = true;
    const bool agrees = add_gradients(report, Scalar::parse("sum(s)"), forward);
    CHECK(agrees == report.steps[0].agreement.holds);
    return report.steps[0].agreement;
}

struct Caught {
    int steps = 0, caught = 0;
};

// The number of steps, each tested separately, and of those for which the error is caught.
Caught errors_caught(const std::function<Tensor()>& computation, double share) {
    Caught found;
    const Report report = report_of([&] { computation(); });
    for (const Report::Step& step : report.steps) {
        const Report::Check check = agreement_when_wrong(computation, step.path, share);
        ++found.steps;
        found.caught += !check.holds && check.text.find("differ by up to ") == 0;
        if (check.holds) UNSCOPED_INFO(step.path << ": " << check.text);
    }
    return found;
}

// An error of 1e-3 in float, of 5e-8 in double: finite differences have about half of the digits.
const double small_share = 3 * std::sqrt(static_cast<double>(std::numeric_limits<real>::epsilon()));

}  // namespace

TEST_CASE("gradients: an error of 0.1 % in one number is caught in every step of attention", "[exhaustive]") {
    const auto stream = glassbox::make_stream(glassbox::Rng::jax, 42);
    const Tensor Q = stream->normal({3, 2}), K = stream->normal({3, 2}), V = stream->normal({3, 2});
    const Tensor w = stream->normal({3, 2});
    const auto attention = [&] { return sum(scaled_dot_product(Q, K, V).values * w); };
    for (const double share : {small_share, small_share / 10}) {
        const Caught found = errors_caught(attention, share);
        CHECK(found.steps > 5);
        CHECK(found.caught == found.steps);
    }
}

TEST_CASE("gradients: an error of 0.1 % in one number is caught in every step of an encoder block",
          "[exhaustive]") {
    const auto stream = glassbox::make_stream(glassbox::Rng::jax, 1);
    auto block = glassbox::made<glassbox::EncoderBlock>({.d_model = 4, .heads = 2, .d_ff = 8}, *stream);
    const Tensor x = stream->normal({3, 4}), w = stream->normal({3, 4});
    const auto encode = [&] { return sum(block(x) * w); };
    const Caught found = errors_caught(encode, small_share);
    CHECK(found.steps > 15);
    CHECK(found.caught == found.steps);
    const Caught smaller = errors_caught(encode, small_share / 10);
    CHECK(2 * smaller.caught > smaller.steps);
}

TEST_CASE("gradients: a block's own inputs, by all the ways to its result", "[exhaustive]") {
    const glassbox_test::Folder folder;
    const std::string file = folder / "steps.npz";
    REQUIRE(glassbox_test::tracer_run(
                {"decoder-block", "--norm", "pre", "--grad", "--scalar", "sumsq(residual3)", "-o", file})
                .code == 0);
    const glassbox::NamedTensors arrays = glassbox::read_npz(file).arrays;
    const auto array = [&](const std::string& name) {
        for (const auto& [path, value] : arrays)
            if (path == name) return value;
        FAIL("no array " << name);
        return Tensor();
    };
    // The memory is read by the second attention alone; x goes past the first one, too.
    glassbox_test::check_close(array("grad/memory"), array("grad/cross_attn/memory"), glassbox_test::exact,
                               "memory");
    const Tensor x = array("grad/x"), past = array("grad/residual1");
    CHECK(x.shape() == past.shape());
    CHECK(x.values() != past.values());
    CHECK(x.values() != array("grad/self_attn/x").values());
    const glassbox_test::Ran text = glassbox_test::tracer_run({"encoder-block", "--grad", "--only", "norm2"});
    CHECK(text.code == 0);  // finite differences agree
    CHECK(text.out.find("\nInputs, the norm of ") != std::string::npos);
    for (const char* words : {"encoder-block --text abc", "transformer", "transformer --kind decoder-only",
                              "predictor --text abc"})  // tokens have none
        CHECK(glassbox_test::tracer_run(
                  glassbox_test::words(words + std::string(" --grad --depth 1 --only logits,norm2")))
                  .code == 0);
    const glassbox_test::Ran shown = glassbox_test::tracer_run({"multihead", "--grad", "--only", "output"});
    CHECK(shown.out.find("\nInputs, ") == std::string::npos);  // x is a step there
}
