#include "explain/arithmetic_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>

#include <glassbox/backend/backend.h>

#include "cli/number.h"
#include "explain/arithmetic_sums.h"

namespace tracer::arithmetic {

namespace {

struct Moments {
    double mean = 0, variance = 0;
    std::vector<std::string> where;  // "μ = …", "σ² = …", each with its numbers
};

// μ = E[x], and σ² = E[(x − μ)²] or, in one pass, E[x²] − μ²
Moments moments(const std::vector<Element>& row, bool in_one_pass, const Labels& labels) {
    Moments m;
    const double d = static_cast<double>(row.size());
    double squares = 0;
    for (const Element& each : row) m.mean += static_cast<double>(each.value()) / d;
    std::vector<std::string> values, squared;
    for (const Element& each : row) {
        const double x = static_cast<double>(each.value()), deviation = in_one_pass ? x : x - m.mean;
        values.push_back(number(each.value(), labels.precision()));
        squared.push_back(operand(static_cast<real>(deviation), labels.precision()) + "²");
        squares += deviation * deviation / d;
    }
    m.variance = in_one_pass ? std::max(0.0, squares - m.mean * m.mean) : squares;
    const std::string running =
        row.size() > 1 ? running_label(row[0], row[1], 'j', labels) : labels.label(row[0]);
    const std::string mu = operand(static_cast<real>(m.mean), labels.precision());
    m.where.push_back(
        fmt::format("μ = Σ_j {} / {} = ({}) / {} = {}", running, d, summed(values), d, labels.shown(m.mean)));
    m.where.push_back(in_one_pass ? fmt::format("σ² = Σ_j {}² / {} - μ² = ({}) / {} - {}² = {}", running, d,
                                                summed(squared), d, mu, labels.shown(m.variance))
                                  : fmt::format("σ² = Σ_j ({} - μ)² / {} = ({}) / {} = {}", running, d,
                                                summed(squared), d, labels.shown(m.variance)));
    return m;
}

}  // namespace

// y[…,j] = (x[…,j] − μ) / √(σ² + ε) · γ[j] + β[j]
Arithmetic layer_norm(const Element& y, const glassbox::Operation& op, const Labels& labels) {
    const index_t j = y.at.back();
    const std::vector<Element> row = row_of(y, op.inputs[0], labels);
    const Element& x = row[static_cast<std::size_t>(j)];
    const Element gamma = labels.resolve({op.inputs[1], {j}}), beta = labels.resolve({op.inputs[2], {j}});
    const double epsilon = op["epsilon"];
    const Moments m = moments(row, op["one_pass"] != 0, labels);
    const double deviation = static_cast<double>(x.value()) - m.mean, root = std::sqrt(m.variance + epsilon);
    const std::string rest =
        fmt::format(" · {}{}", operand(gamma.value(), labels.precision()), labels.plus(beta.value()));
    Arithmetic result;
    result.symbols = fmt::format("({} - μ) / √(σ² + ε) · {} + {}", labels.label(x), labels.label(gamma),
                                 labels.label(beta));
    result.where = m.where;
    result.where.push_back("ε = " + labels.shown(epsilon));
    result.lines = {fmt::format("({} - {}) / √({} + {}){}", number(x.value(), labels.precision()),
                                operand(static_cast<real>(m.mean), labels.precision()),
                                labels.shown(m.variance), labels.shown(epsilon), rest),
                    fmt::format("{} / {}{}", labels.shown(deviation), labels.shown(root), rest),
                    labels.shown(deviation / root) + rest};
    result.parts = written_terms(row);
    if (std::none_of(result.parts.begin(), result.parts.end(),
                     [&](const Element& e) { return e.at == x.at; }))
        result.parts.push_back(x);
    result.parts.push_back(gamma);
    result.parts.push_back(beta);
    return result;
}

// y = x Φ(x), Φ by erf or by tanh
Arithmetic gelu(const Element& y, const glassbox::Operation& op, const Labels& labels) {
    const Element e = labels.resolve({op.inputs[0], y.at});
    const double x = static_cast<double>(e.value()), c = std::sqrt(2 / std::numbers::pi);
    const bool by_erf = op["erf"] != 0;
    const std::string name = labels.label(e), value = number(e.value(), labels.precision()),
                      cube = labels.shown(x * x * x);
    const double inner = by_erf ? std::erf(x / std::sqrt(2.0)) : std::tanh(c * (x + 0.044715 * x * x * x));
    Arithmetic result;
    if (by_erf) {
        result.symbols = fmt::format("{0} · (1 + erf({0} / √2)) / 2", name);
        result.lines = {fmt::format("{0} · (1 + erf({0} / √2)) / 2", value)};
    } else {
        result.symbols = fmt::format("{0} · (1 + tanh(√(2/π) · ({0} + 0.044715·{0}³))) / 2", name);
        result.lines = {fmt::format("{0} · (1 + tanh({1} · ({0} + 0.044715·{2}))) / 2", value,
                                    labels.shown(c), x < 0 ? '(' + cube + ')' : cube)};
    }
    result.lines.push_back(fmt::format("{} · {}", value, labels.shown((1 + inner) / 2)));
    result.parts = {e};
    return result;
}

// y = x / (1 − p), or 0 where it is dropped
Arithmetic dropout(const Element& y, const glassbox::Operation& op, const Labels& labels) {
    const Element x = labels.resolve({op.inputs[0], y.at});
    if (y.value() == 0 && x.value() != 0)
        return {fmt::format("{}: dropout drops {}", number(y.value(), labels.precision()), labels.label(x)),
                {},
                {}};
    const std::string value = number(x.value(), labels.precision()), p = labels.shown(op["p"]);
    return {
        fmt::format("{} / (1 - {}), which dropout keeps", labels.label(x), p),
        {fmt::format("{} / (1 - {})", value, p), fmt::format("{} / {}", value, labels.shown(1 - op["p"]))},
        {x}};
}

// y = value where the mask is 0, else x
Arithmetic masked(const Element& y, const glassbox::Operation& op, const Labels& labels) {
    const Element x = labels.resolve({op.inputs[0], y.at});
    if (broadcast_from(y.at, op.inputs[1]).value() == 0)
        return {fmt::format("{}: the mask hides {}", number(y.value(), labels.precision()), labels.label(x)),
                {},
                {}};
    return {fmt::format("{}, which the mask lets through", labels.label(x)), {}, {x}};
}

// y = a where the condition is not 0, else b
Arithmetic chosen(const Element& y, const glassbox::Operation& op, const Labels& labels) {
    const Element condition = labels.resolve(broadcast_from(y.at, op.inputs[0]));
    const bool is_first = condition.value() != 0;
    const Element taken = labels.resolve(broadcast_from(y.at, op.inputs[is_first ? 1 : 2]));
    return {fmt::format("{}, where the condition is {}", labels.label(taken), is_first ? "not 0" : "0"),
            {},
            {taken}};
}

// y[…,j] = table[id[…],j]
Arithmetic embedding(const Element& y, const glassbox::Operation& op, const Labels& labels) {
    const std::vector<index_t> place(y.at.begin(), y.at.end() - 1);
    const Element id = labels.resolve({op.inputs[1], place});
    const index_t row = static_cast<index_t>(id.value());
    const Element entry = labels.resolve({op.inputs[0], {row, y.at.back()}});
    return {fmt::format("{}, in row {} because {} = {}", labels.label(entry), row, labels.label(id), row),
            {},
            {entry, id}};
}

// PE[t,2i] = sin(t ω_i), PE[t,2i+1] = cos(t ω_i), ω_i = 10000^(−2i/d)
Arithmetic sinusoid(const Element& y, const glassbox::Operation& op, const Labels& labels) {
    const double t = op["first"] + static_cast<double>(y.at[0]), d = op["d_model"];
    const index_t pair = y.at[1] / 2;
    const double omega = std::pow(10000.0, -2 * static_cast<double>(pair) / d);
    const char* f = y.at[1] % 2 == 0 ? "sin" : "cos";
    return {fmt::format("{}(t ω_i), t = {}, i = {}, ω_i = 10000^(-2i/d), d = {}", f, t, pair, d),
            {fmt::format("{}({} · 10000^(-{}/{}))", f, t, 2 * pair, d),
             fmt::format("{}({} · {})", f, t, labels.shown(omega)),
             fmt::format("{}({})", f, labels.shown(t * omega))},
            {}};
}

namespace {

// A formula with numbers in place of names: "3 / 50" for "n / W". A product gets its dot: "3 · 50^−1½".
std::string with_numbers(std::string_view formula, const glassbox::Operation& op, const Labels& labels) {
    const auto value = [&](std::string_view name) { return name == "t" ? op["n"] + 1 : op[name]; };
    std::string text;
    for (std::size_t at = 0; at < formula.size();) {
        std::size_t end = at;
        while (end < formula.size() &&
               (std::isalpha(static_cast<unsigned char>(formula[end])) || formula[end] == '_'))
            ++end;
        const std::string_view name = formula.substr(at, end - at);
        const bool is_value = name == "t" || (!name.empty() && op.has(name));
        const bool follows_sign = text.ends_with("− ") || text.ends_with("+ ") || text.ends_with("/ ");
        if (is_value && text.ends_with(" ") && !follows_sign) text += "· ";
        if (is_value) text += labels.shown(value(name));
        else text += name.empty() ? formula.substr(at, 1) : name;
        at = std::max(end, at + 1);
    }
    return text;
}

}  // namespace

// A factor of the learning rate, by the formula of its step.
Arithmetic schedule(const Element& y, const glassbox::Operation& op, const Labels& labels) {
    const glassbox::Trace::Step* step = labels.trace().step_of(y.tensor);
    if (!step || !step->info || std::string_view(step->info->formula).empty()) return {};  // the peak: given
    return {step->info->formula, {with_numbers(step->info->formula, op, labels)}, {}};
}

}  // namespace tracer::arithmetic
