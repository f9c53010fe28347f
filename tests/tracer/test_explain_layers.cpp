#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>

#include <glassbox/conventions/made.h>
#include <glassbox/layers/decoder_block.h>
#include <glassbox/layers/positional_encoding.h>
#include <glassbox/layers/time2vec.h>
#include <glassbox/models/predictor.h>
#include <glassbox/models/transformer.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "evaluate.h"
#include "support/catch.h"
#include "support/compare.h"
#include "tracer/cli/number.h"
#include "tracer/explain/computation.h"
#include "tracer/explain/equation_value.h"
#include "tracer/explain/explainer.h"
#include "tracer/explain/tensor_element.h"

using namespace glassbox::tracer;
using namespace glassbox;
using glassbox_test::evaluate;

namespace {

constexpr int all_digits = 17;

// The arithmetic is evaluated in double, from numbers computed in float, op by op. Some conventions compute
// positions in float for any `real`.
constexpr double op_by_op = 2 * glassbox_test::chain.absolute, float_positions = 1e-6;
// One op in float, whose terms may cancel; gradients of a whole pass in float, where a norm of a narrow row
// multiplies rounding by 1/σ.
constexpr double one_op = 1e-5, back_through_all = 1e-3;

bool is_near(double a, double b, double tolerance = op_by_op) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b || std::abs(a - b) <= tolerance * (1 + std::abs(b));
}

// "μ = Σ_j x / 4 = (1 + 2) / 4 = 0.75": the arithmetic must evaluate to the last number.
void check_letter(const std::string& text) {
    std::vector<std::string> sides;
    for (std::size_t at = 0, next = 0; next != std::string::npos; at = next + 3) {
        next = text.find(" = ", at);
        sides.push_back(text.substr(at, next - at));
    }
    if (sides.size() > 2) CHECK(is_near(evaluate(sides[sides.size() - 2]), evaluate(sides.back())));
    else CHECK_NOTHROW(evaluate(sides.back()));
}

void check_arithmetic(const Explainer& explainer, const Element& element) {
    const Arithmetic steps = arithmetic_of(element, explainer.labels());
    const double value = static_cast<double>(element.value());
    const bool is_position = steps.symbols.find("ω_i") != std::string::npos;
    REQUIRE_FALSE(steps.symbols.empty());
    for (const std::string& line : steps.lines) {
        INFO(line);
        CHECK(is_near(evaluate(line), value, is_position ? std::max(op_by_op, float_positions) : op_by_op));
    }
    for (const std::string& letter : steps.where) check_letter(letter);
    for (const Element& part : steps.parts)
        CHECK(explainer.labels().label(part).rfind("input[", 0) == std::string::npos);
    if (!steps.lines.empty()) return;
    if (steps.parts.empty())
        CHECK(steps.symbols.find(number(element.value(), all_digits)) == 0);  // hidden, dropped
    else
        CHECK((steps.parts[0].value() == element.value() ||
               std::isnan(value)));  // the same number under another name
}

// Every equation must give its tensor's numbers, and the sums over uses the tape's gradients.
void check_equations(const std::function<void()>& forward, const NamedTensors& parameters) {
    Trace trace;
    Tape tape;
    forward();
    const Tensor last = trace.steps().back().value, loss = sum(last * last);
    const Computation computation = computation_of(trace, parameters, loss);
    tape.backward(loss);
    const EquationValues equations(computation),
        from_inputs(computation, EquationValues::Operands::evaluated);
    for (std::size_t n = 0; n < computation.nodes.size(); ++n) {
        const Computation::Node& node = computation.nodes[n];
        INFO(n << ": " << node.name << ", " << node.op << " of shape "
               << fmt::format("{}", node.tensor.shape()));
        if (const Equation* equation = equations.equation_of(n))
            for (index_t i = 0; i < node.tensor.numel(); ++i)
                CHECK(is_near(equations.value(*equation, i), node.tensor.at(place_of(node.tensor.shape(), i)),
                              one_op));
        for (index_t i = 0; i < node.tensor.numel(); ++i)
            CHECK(is_near(from_inputs.value(n)[static_cast<std::size_t>(i)],
                          node.tensor.at(place_of(node.tensor.shape(), i)), back_through_all));
        if (!equations.equation_of(n))
            CHECK((node.is_given || node.source != Computation::none || !node.parts.empty()));
        if (node.kind != Computation::Kind::step && node.kind != Computation::Kind::parameter) continue;
        const Tensor gradient = tape.gradient(node.tensor);
        for (index_t i = 0; i < gradient.numel(); ++i) {
            // Of a 0, dropout's output does not tell whether it was dropped.
            if (node.tensor.at(place_of(gradient.shape(), i)) == 0) continue;
            INFO(equations.gradient(n)[static_cast<std::size_t>(i)]
                 << " beside " << gradient.at(place_of(gradient.shape(), i)));
            CHECK(is_near(equations.gradient(n)[static_cast<std::size_t>(i)],
                          gradient.at(place_of(gradient.shape(), i)), back_through_all));
        }
    }
}

// Every step of `forward` must have arithmetic that evaluates to its value, except those in `inputs`; and the
// equations must agree with it, both ways.
void check_every_step(const std::function<void()>& forward, const NamedTensors& parameters,
                      const std::set<std::string>& inputs) {
    check_equations(forward, parameters);
    Trace trace;
    forward();
    const Explainer explainer(trace, all_digits, parameters);
    for (const Trace::Step& step : trace.steps())
        for (const index_t linear : {index_t{0}, step.value.numel() / 2, step.value.numel() - 1}) {
            const Element element{step.value, place_of(step.value.shape(), linear)};
            INFO(explainer.labels().label(element)
                 << " = " << arithmetic_of(element, explainer.labels()).symbols);
            if (inputs.count(step.path)) CHECK(arithmetic_of(element, explainer.labels()).symbols.empty());
            else check_arithmetic(explainer, element);
        }
}

struct Case {
    Convention convention;
    std::unique_ptr<Stream> stream;
    Tensor x(const Shape& shape) const { return stream->normal(shape); }
    BlockChoices block(double dropout = 0) const {
        return {.d_model = 4, .heads = 2, .d_ff = 8, .dropout = dropout};
    }
};

// Every convention, each with two seeds.
void for_each_case(const std::function<void(Case&)>& test) {
    for (const Convention& convention : conventions())
        for (const std::uint64_t seed : {42u, 7u}) {
            INFO(convention.name << ", seed " << seed);
            Case each{convention, make_stream(convention.rng, seed)};
            test(each);
        }
}

template <class Model>
void randomise(Model& model, Stream& stream) {  // biases and norms start as 0 and 1, which would hide errors
    for (const Parameters::Entry& entry : parameters_of(model).entries())
        *entry.tensor = stream.normal(entry.tensor->shape());
}

}  // namespace

TEST_CASE("evaluate: a calculator's results, and an error where there is no arithmetic") {
    CHECK(evaluate("1 + 2·3 - (-4) / 2") == 9);
    CHECK(evaluate("(1 - -2)² · √4") == 18);
    CHECK(evaluate("max(0, -3) + max(1, 5, 2)") == 5);
    CHECK(evaluate("min(4, 2³) - sigmoid(0)") == 3.5);
    CHECK(evaluate("10^(-2/2) · 1e+01") == 1);
    CHECK(std::abs(evaluate("exp(ln(2)) + sin(0) + cos(0) + tanh(0) + erf(0)") - 3) < 1e-15);
    CHECK_THROWS(evaluate("1 + x[0,1]"));
    CHECK_THROWS(evaluate("1 + … + 2"));
    CHECK_THROWS(evaluate("(1 + 2"));
}

TEST_CASE("explain: every step of multi-head attention evaluates to its value") {
    for_each_case([](Case& c) {
        auto layer = made<MultiHeadAttention>(c.convention, {.d_model = 4, .heads = 2}, *c.stream);
        randomise(layer, *c.stream);
        const Tensor x = c.x({2, 3, 4}), memory = c.x({2, 5, 4});
        const NamedTensors parameters = parameters_of(layer).values();
        check_every_step([&] { layer(x); }, parameters, {"x"});
        check_every_step([&] { layer(x, Mask::causal()); }, parameters, {"x"});
        check_every_step([&] { layer(x, memory, Mask::lengths({3, 5})); }, parameters, {"x", "memory"});
    });
}

TEST_CASE("explain: every step of an encoder block evaluates to its value, with dropout and GELU too",
          "[exhaustive]") {
    for_each_case([](Case& c) {
        for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
            BlockChoices config = c.block(0.5);
            config.norm = norm;
            if (norm == NormPlacement::pre) config.activation = Activation::gelu;
            auto block = made<EncoderBlock>(c.convention, config, *c.stream);
            randomise(block, *c.stream);
            const Tensor x = c.x({3, 4});
            const NamedTensors parameters = parameters_of(block).values();
            check_every_step([&] { block(named("x", x)); }, parameters, {"x"});
            check_equations([&] { block(x); }, parameters);  // x is read beside self_attn/x, too
            const auto dropped = [&] {
                const DropoutScope dropping(3);
                block(named("x", x), Mask::causal());
            };
            check_every_step(dropped, parameters, {"x"});
        }
    });
}

TEST_CASE("explain: every step of a predictor evaluates to its value, for any pooling", "[exhaustive]") {
    for_each_case([](Case& c) {
        for (const Pooling pooling : {Pooling::none, Pooling::mean, Pooling::max, Pooling::cls}) {
            INFO(name(pooling));
            auto model = made<Predictor>(
                c.convention, {.d_in = 5, .classes = 3, .encoder = {c.block(), 2, true}, .pooling = pooling},
                *c.stream);
            randomise(model, *c.stream);
            const Tensor x = c.x({2, 3, 5});
            check_every_step([&] { model(x); }, parameters_of(model).values(), {"x"});
        }
    });
}

TEST_CASE("explain: every step of positions, learned or not, and of Time2Vec evaluates to its value") {
    for_each_case([](Case& c) {
        const Tensor x = c.x({3, 6});
        const PositionalEncoding sinusoids(6, c.convention.positions());
        check_every_step([&] { sinusoids(x); }, {}, {"x"});
        LearnedPositions learned(4, 6);
        draw(learned, *c.stream);
        check_every_step([&] { learned(x); }, parameters_of(learned).values(), {"x"});
        Time2Vec time2vec(4);
        draw(time2vec, *c.stream);
        const Tensor time({0, 1, 2.5});
        check_every_step([&] { time2vec(x, time); }, parameters_of(time2vec).values(), {"x", "time"});
    });
}

TEST_CASE("explain: every step of a decoder block and of a full Transformer evaluates to its value",
          "[exhaustive]") {
    for_each_case([](Case& c) {
        auto block = made<DecoderBlock>(c.convention, c.block(), *c.stream);
        randomise(block, *c.stream);
        const Tensor x = c.x({3, 4}), memory = c.x({5, 4});
        check_every_step([&] { block(named("x", x), memory); }, parameters_of(block).values(),
                         {"x", "cross_attn/memory"});
        if (!c.convention.passes_mask) return;
        auto model = made<Transformer>(c.convention, {7, 6, {c.block(), 1}, {c.block(), 1}}, *c.stream);
        randomise(model, *c.stream);
        const Tensor source({1, 6, 0}), target({5, 2});
        check_every_step([&] { model(source, target); }, parameters_of(model).values(),
                         {"source/tokens", "target/tokens"});
    });
}

TEST_CASE("explain: layer norm with its moments, in two passes and in one") {
    Trace trace;
    const Tensor x = named("x", Tensor({{1, 2, 3, 6}}));
    const NamedTensors parameters{{"norm.weight", Tensor({1, 2, 1, 1})},
                                  {"norm.bias", Tensor({0, 0.5, 0, 0})}};
    const Tensor &gamma = parameters[0].second, &beta = parameters[1].second;
    (void)named("two", layer_norm(x, gamma, beta, 0.5, Moments::two_pass));
    (void)named("one", layer_norm(x, gamma, beta, 0.5, Moments::one_pass));
    const Explainer explainer(trace, 4, parameters);
    CHECK(explainer.text(explainer.parse("two[0,1]"), -1) ==
          "two[0,1] = (x[0,1] - μ) / √(σ² + ε) · norm.weight[1] + norm.bias[1]\n"
          "           μ = Σ_j x[0,j] / 4 = (1 + 2 + 3 + 6) / 4 = 3\n"
          "           σ² = Σ_j (x[0,j] - μ)² / 4 = ((-2)² + (-1)² + 0² + 3²) / 4 = 3.5\n"
          "           ε = 0.5\n"
          "         = (2 - 3) / √(3.5 + 0.5) · 2 + 0.5\n"
          "         = -1 / 2 · 2 + 0.5\n"
          "         = -0.5 · 2 + 0.5\n"
          "         = -0.5\n");
    CHECK(explainer.text(explainer.parse("one[0,1]"), -1)
              .find("σ² = Σ_j x[0,j]² / 4 - μ² = (1² + 2² + 3² + 6²) / 4 - 3² = 3.5\n") != std::string::npos);
}

TEST_CASE("explain: a linear map names its weights; long ones are shortened, with their total") {
    Trace trace;
    const Tensor x = named("x", Tensor::ones({1, 512}));
    const NamedTensors parameters{{"net.0.weight", Tensor::full({2, 512}, 0.5)},
                                  {"net.0.bias", Tensor({1, -2})}};
    (void)named("y", linear(x, parameters[0].second, parameters[1].second));
    const Explainer explainer(trace, 8, parameters);
    CHECK(explainer.text(explainer.parse("y[0,1]"), -1) ==
          "y[0,1] = Σ_c x[0,c]·net.0.weight[1,c] + net.0.bias[1]\n"
          "       = 1·0.5 + 1·0.5 + 1·0.5 + 1·0.5 + 1·0.5 + 1·0.5 + … (505 more terms) … + 1·0.5 - 2\n"
          "       = 0.5 + 0.5 + 0.5 + 0.5 + 0.5 + 0.5 + … (505 more terms) … + 0.5 - 2\n"
          "       = 256 - 2\n"
          "       = 254\n");
    CHECK(explainer.text(explainer.parse("net.0.bias[-1]"), -1) == "net.0.bias[1] = -2, a parameter\n");
    const Explainer without(trace, 8);
    CHECK(arithmetic_of(without.parse("y[0,1]"), without.labels()).symbols ==
          "Σ_c x[0,c]·input[1,c] + input[1]");
}

TEST_CASE(
    "explain: within a scope its steps have short names, and one of the same name outside keeps a slash") {
    Trace trace;
    const Tensor x = named("x", Tensor({{1, 2}}));
    const Tensor first = named("first", x * 3);
    {
        const Scope scope("block", 0);
        const Tensor inner = named("x", first + first);
        (void)named("y", inner + first + x);
    }
    const Explainer explainer(trace, 8);
    CHECK(explainer.labels().label(explainer.parse("block/0/x[0,1]")) == "block/0/x[0,1]");
    CHECK(explainer.text(explainer.parse("block/0/y[0,1]"), 2) ==
          "within block/0/\n\n"
          "y[0,1] = x[0,1] + first[0,1] + /x[0,1]\n"
          "       = 12 + 6 + 2\n"
          "       = 18 + 2\n"
          "       = 20\n\n"
          "x[0,1] = first[0,1] + first[0,1]\n"
          "       = 6 + 6\n"
          "       = 12\n\n"
          "first[0,1] = /x[0,1] · 3\n"
          "           = 2 · 3\n"
          "           = 6\n");
}

TEST_CASE("explain: unnamed values are written inline, with parentheses where needed") {
    Trace trace;
    const Tensor x = named("x", Tensor({{1, -2, 4}}));
    const auto first = [&](const std::string& target) {
        const Explainer explainer(trace, 4);
        const Arithmetic steps = arithmetic_of(explainer.parse(target), explainer.labels());
        return steps.symbols + " = " + steps.lines[0];
    };
    (void)named("a", (x + x) * x);
    (void)named("b", x - (x - x));
    (void)named("c", x / (x * x));
    (void)named("d", x * x + x);
    (void)named("e", sin(x) * 2);
    (void)named("mean", mean(x, -1));
    (void)named("most", max(x, -1));
    CHECK(first("a[0,1]") == "(x[0,1] + x[0,1]) · x[0,1] = (-2 + (-2)) · (-2)");
    CHECK(first("b[0,1]") == "x[0,1] - (x[0,1] - x[0,1]) = -2 - (-2 - (-2))");
    CHECK(first("c[0,1]") == "x[0,1] / (x[0,1] · x[0,1]) = -2 / (-2 · (-2))");
    CHECK(first("d[0,1]") == "x[0,1] · x[0,1] + x[0,1] = -2 · (-2) + (-2)");
    CHECK(first("e[0,1]") == "sin(x[0,1]) · 2 = sin(-2) · 2");
    CHECK(first("mean[0]") == "(Σ_i x[0,i]) / 3 = (1 - 2 + 4) / 3");
    CHECK(first("most[0]") == "max_i x[0,i] = max(1, -2, 4)");
}

TEST_CASE("explain: embeddings, dropout and positions show where their numbers come from") {
    Trace trace;
    const NamedTensors parameters{{"table", Tensor({{1, 2}, {3, 4}})}};
    const Tensor ids = named("tokens", Tensor({1, 0}));
    const Tensor rows = named("rows", embedding(parameters[0].second, ids));
    {
        const DropoutScope dropping(5);
        (void)named("dropped", dropout(rows, 0.5));
    }
    (void)named("encoding", sinusoidal_encoding(3, 4));
    const Explainer explainer(trace, 4, parameters);
    CHECK(explainer.text(explainer.parse("rows[0,1]"), -1) ==
          "rows[0,1] = table[1,1], in row 1 because tokens[0] = 1\n          = 4\n");
    for (index_t i = 0; i < 4; ++i) {
        const Element element{trace["dropped"], {i / 2, i % 2}};
        const Arithmetic steps = arithmetic_of(element, explainer.labels());
        const std::string from = fmt::format("rows[{},{}]", i / 2, i % 2);
        if (element.value() == 0) CHECK(steps.symbols == "0: dropout drops " + from);
        else CHECK(steps.symbols == from + " / (1 - 0.5), which dropout keeps");
    }
    CHECK(explainer.text(explainer.parse("encoding[2,3]"), -1) ==
          "encoding[2,3] = cos(t ω_i), t = 2, i = 1, ω_i = 10000^(-2i/d), d = 4\n"
          "              = cos(2 · 10000^(-2/4))\n"
          "              = cos(2 · 0.01)\n"
          "              = cos(0.02)\n"
          "              = 0.9998\n");
}
