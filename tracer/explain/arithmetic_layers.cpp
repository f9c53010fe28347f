// The ops that layers bring: normalisation, GELU, dropout, masks, embeddings, positions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <glassbox/backend/backend.h>

#include "cli/number.h"
#include "explain/explainer.h"

namespace tracer {

// " + 0.5" or " - 0.5"
std::string Explainer::plus(real value) const {
    const bool is_negative = std::signbit(value) && !std::isnan(value);
    return (is_negative ? " - " : " + ") + number(is_negative ? -value : value, precision_);
}

struct Explainer::Moments {
    double mean = 0, variance = 0;
    std::vector<std::string> where;  // "μ = …", "σ² = …", each with its numbers
};

// μ = E[x], and σ² = E[(x − μ)²] or, in one pass, E[x²] − μ²
Explainer::Moments Explainer::moments(const std::vector<Element>& row, bool in_one_pass) const {
    Moments of;
    const double d = static_cast<double>(row.size());
    double squares = 0;
    for (const Element& each : row) of.mean += static_cast<double>(each.value()) / d;
    std::vector<std::string> values, squared;
    for (const Element& each : row) {
        const double x = static_cast<double>(each.value()), off = in_one_pass ? x : x - of.mean;
        values.push_back(number(each.value(), precision_));
        squared.push_back(operand(static_cast<real>(off), precision_) + "²");
        squares += off * off / d;
    }
    of.variance = in_one_pass ? std::max(0.0, squares - of.mean * of.mean) : squares;
    const std::string running = row.size() > 1 ? running_label(row[0], row[1], 'j') : label(row[0]);
    const std::string mu = operand(static_cast<real>(of.mean), precision_);
    of.where.push_back(
        fmt::format("μ = Σ_j {} / {} = ({}) / {} = {}", running, d, summed(values), d, shown(of.mean)));
    of.where.push_back(in_one_pass ? fmt::format("σ² = Σ_j {}² / {} - μ² = ({}) / {} - {}² = {}", running, d,
                                                 summed(squared), d, mu, shown(of.variance))
                                   : fmt::format("σ² = Σ_j ({} - μ)² / {} = ({}) / {} = {}", running, d,
                                                 summed(squared), d, shown(of.variance)));
    return of;
}

// y[…,j] = (x[…,j] − μ) / √(σ² + ε) · γ[j] + β[j]
Arithmetic Explainer::layer_norm(const Element& y, const glassbox::Operation& op) const {
    const index_t j = y.at.back();
    const std::vector<Element> row = row_of(y, op.inputs[0]);
    const Element& x = row[static_cast<std::size_t>(j)];
    const Element gamma = resolve({op.inputs[1], {j}}), beta = resolve({op.inputs[2], {j}});
    const double epsilon = op["epsilon"];
    const Moments m = moments(row, op["one_pass"] != 0);
    const double off = static_cast<double>(x.value()) - m.mean, root = std::sqrt(m.variance + epsilon);
    const std::string rest = fmt::format(" · {}{}", operand(gamma.value(), precision_), plus(beta.value()));
    Arithmetic result;
    result.symbols = fmt::format("({} - μ) / √(σ² + ε) · {} + {}", label(x), label(gamma), label(beta));
    result.where = m.where;
    result.where.push_back("ε = " + shown(epsilon));
    result.lines = {
        fmt::format("({} - {}) / √({} + {}){}", number(x.value(), precision_),
                    operand(static_cast<real>(m.mean), precision_), shown(m.variance), shown(epsilon), rest),
        fmt::format("{} / {}{}", shown(off), shown(root), rest), shown(off / root) + rest};
    result.parts = those_written(row);
    if (std::none_of(result.parts.begin(), result.parts.end(),
                     [&](const Element& e) { return e.at == x.at; }))
        result.parts.push_back(x);
    result.parts.push_back(gamma);
    result.parts.push_back(beta);
    return result;
}

// y = x Φ(x), Φ by erf or by tanh
Arithmetic Explainer::gelu(const Element& y, const glassbox::Operation& op) const {
    const Element e = resolve({op.inputs[0], y.at});
    const double x = static_cast<double>(e.value()), c = std::sqrt(2 / std::numbers::pi);
    const bool by_erf = op["erf"] != 0;
    const std::string name = label(e), value = number(e.value(), precision_), cube = shown(x * x * x);
    const double inner = by_erf ? std::erf(x / std::sqrt(2.0)) : std::tanh(c * (x + 0.044715 * x * x * x));
    Arithmetic result;
    if (by_erf) {
        result.symbols = fmt::format("{0} · (1 + erf({0} / √2)) / 2", name);
        result.lines = {fmt::format("{0} · (1 + erf({0} / √2)) / 2", value)};
    } else {
        result.symbols = fmt::format("{0} · (1 + tanh(√(2/π) · ({0} + 0.044715·{0}³))) / 2", name);
        result.lines = {fmt::format("{0} · (1 + tanh({1} · ({0} + 0.044715·{2}))) / 2", value, shown(c),
                                    x < 0 ? '(' + cube + ')' : cube)};
    }
    result.lines.push_back(fmt::format("{} · {}", value, shown((1 + inner) / 2)));
    result.parts = {e};
    return result;
}

// y = x / (1 − p), or 0 where it is dropped
Arithmetic Explainer::dropout(const Element& y, const glassbox::Operation& op) const {
    const Element x = resolve({op.inputs[0], y.at});
    if (y.value() == 0 && x.value() != 0)
        return {fmt::format("{}: dropout drops {}", number(y.value(), precision_), label(x)), {}, {}};
    const std::string value = number(x.value(), precision_), p = shown(op["p"]);
    return {fmt::format("{} / (1 - {}), which dropout keeps", label(x), p),
            {fmt::format("{} / (1 - {})", value, p), fmt::format("{} / {}", value, shown(1 - op["p"]))},
            {x}};
}

// y = value where the mask is 0, else x
Arithmetic Explainer::masked(const Element& y, const glassbox::Operation& op) const {
    const Element x = resolve({op.inputs[0], y.at});
    if (broadcast_from(y.at, op.inputs[1]).value() == 0)
        return {fmt::format("{}: the mask hides {}", number(y.value(), precision_), label(x)), {}, {}};
    return {fmt::format("{}, which the mask lets through", label(x)), {}, {x}};
}

// y = a where the condition is not 0, else b
Arithmetic Explainer::chosen(const Element& y, const glassbox::Operation& op) const {
    const Element condition = resolve(broadcast_from(y.at, op.inputs[0]));
    const bool is_first = condition.value() != 0;
    const Element taken = resolve(broadcast_from(y.at, op.inputs[is_first ? 1 : 2]));
    return {
        fmt::format("{}, where the condition is {}", label(taken), is_first ? "not 0" : "0"), {}, {taken}};
}

// y[…,j] = table[id[…],j]
Arithmetic Explainer::embedding(const Element& y, const glassbox::Operation& op) const {
    const std::vector<index_t> place(y.at.begin(), y.at.end() - 1);
    const Element id = resolve({op.inputs[1], place});
    const index_t row = static_cast<index_t>(id.value());
    const Element entry = resolve({op.inputs[0], {row, y.at.back()}});
    return {fmt::format("{}, in row {} because {} = {}", label(entry), row, label(id), row), {}, {entry, id}};
}

// PE[t,2i] = sin(t ω_i), PE[t,2i+1] = cos(t ω_i), ω_i = 10000^(−2i/d)
Arithmetic Explainer::sinusoid(const Element& y, const glassbox::Operation& op) const {
    const double t = op["first"] + static_cast<double>(y.at[0]), d = op["d_model"];
    const index_t pair = y.at[1] / 2;
    const double omega = std::pow(10000.0, -2 * static_cast<double>(pair) / d);
    const char* f = y.at[1] % 2 == 0 ? "sin" : "cos";
    return {fmt::format("{}(t ω_i), t = {}, i = {}, ω_i = 10000^(-2i/d), d = {}", f, t, pair, d),
            {fmt::format("{}({} · 10000^(-{}/{}))", f, t, 2 * pair, d),
             fmt::format("{}({} · {})", f, t, shown(omega)), fmt::format("{}({})", f, shown(t * omega))},
            {}};
}

}  // namespace tracer
