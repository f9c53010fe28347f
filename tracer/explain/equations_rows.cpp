// Ops that work on rows, the last axis.
#include "explain/equation_writer.h"

#include <algorithm>
#include <cmath>

namespace glassbox::tracer::equations {
namespace {

constexpr double plain_exponent = 80;  // exp beyond ±80 leaves float's range: show the shifted form

// A row with a NaN shows it without a shift.
bool needs_shift(const Tensor& x, std::vector<index_t> in_row) {
    double largest = -INFINITY;
    for (index_t j = 0; j < x.size(-1); ++j) {
        in_row.back() = j;
        const double value = static_cast<double>(x.at(in_row));
        if (std::isnan(value)) return false;
        largest = std::max(largest, value);
    }
    return std::abs(largest) > plain_exponent;
}

// Whether some row does: all are then written in one way. For one requested place, only its row counts.
bool needs_shift(const EquationWriter& w, const Tensor& x) {
    const index_t width = x.size(-1);
    if (w.only_at()) {
        std::vector<index_t> at = *w.only_at();
        at.resize(static_cast<std::size_t>(x.rank()));
        return needs_shift(x, at);
    }
    const std::vector<real> values = x.to(Device::cpu).values();
    for (std::size_t row = 0; row < values.size(); row += static_cast<std::size_t>(width)) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row);
        if (std::abs(static_cast<double>(*std::max_element(begin, begin + width))) > plain_exponent)
            return true;
    }
    return false;
}

// A tensor with the rows of the computed one: its number at the same place, and the j-th of the same row.
struct InRow {
    Expression here, j;
};

EquationWriter::Places in_row(const EquationWriter& w, EquationWriter::Index last) {
    EquationWriter::Places places = w.all_own();
    places.back() = last;
    return places;
}

InRow value(EquationWriter& w, const Tensor& x, EquationWriter::Index j) {
    return {w.value(x, w.all_own()), w.value(x, in_row(w, j))};
}

InRow gradient(EquationWriter& w, const Tensor& x, EquationWriter::Index j) {
    return {w.gradient(x, w.all_own()), w.gradient(x, in_row(w, j))};
}

Expression let_largest(const Expression& x_j, const Expression& body) {
    return noted(let("m", max(x_j), body), {{"the row's largest"}});
}

// `body` of x, or of x − m with m the row's largest where exp(x) would leave float's range.
template <class Body>
Expression shifted(const EquationWriter& w, const Tensor& x, const InRow& row, const Body& body) {
    if (!needs_shift(w, x)) return body(row);
    const Expression m = letter("m");
    return let_largest(row.j, body(InRow{row.here - m, row.j - m}));
}

}  // namespace

// y = exp(x) / Σ_j exp(x_j)               ∂L/∂x = y (∂L/∂y − Σ_j ∂L/∂y_j y_j)
Equation softmax(EquationWriter& w) {
    const Tensor &x = w.op().inputs[0], &output = w.op().output;
    const auto j = w.loop(x.size(-1), "j");
    if (!w.is_gradient())
        return w.is(
            shifted(w, x, value(w, x, j), [](const InRow& e) { return exp(e.here) / sum(exp(e.j)); }));
    const InRow y = value(w, output, j), dy = gradient(w, output, j);
    return w.is(y.here * (dy.here - sum(dy.j * y.j)));
}

// y = x − ln Σ_j exp(x_j)                 ∂L/∂x = ∂L/∂y − exp(y) Σ_j ∂L/∂y_j
Equation log_softmax(EquationWriter& w) {
    const Tensor &x = w.op().inputs[0], &output = w.op().output;
    const auto j = w.loop(x.size(-1), "j");
    if (!w.is_gradient())
        return w.is(
            shifted(w, x, value(w, x, j), [](const InRow& e) { return e.here - f("ln", sum(exp(e.j))); }));
    const InRow y = value(w, output, j), dy = gradient(w, output, j);
    return w.is(dy.here - exp(y.here) * sum(dy.j));
}

// y = x̂ γ + β,  x̂ = (x − μ) / √(σ² + ε)
// ∂L/∂x = r (g − mean(g) − x̂ mean(g x̂)),  g = ∂L/∂y γ,  r = 1 / √(σ² + ε)
// ∂L/∂γ = Σ ∂L/∂y x̂,  x̂ = (y − β) / γ;  ∂L/∂β = Σ ∂L/∂y, over all rows
Equation layer_norm(EquationWriter& w) {
    const Tensor &X = w.op().inputs[0], &scale = w.op().inputs[1], &shift = w.op().inputs[2],
                 &output = w.op().output;
    if (w.is_gradient() && w.operand() > 0) {
        EquationWriter::Places rows = w.loops(X, X.rank() - 1);
        rows.push_back(w.own(0));
        const Expression dy = w.gradient(output, rows);
        if (w.operand() == 2) return w.is(w.summed(dy));
        const std::vector<real> gammas = scale.to(Device::cpu).values();
        if (std::find(gammas.begin(), gammas.end(), 0) != gammas.end()) return w.unknown();
        const Expression y = w.value(output, rows), gamma = w.value(scale, {w.own(0)}),
                         beta = w.value(shift, {w.own(0)});
        return w.is(w.summed(dy * ((y - beta) / gamma)));
    }
    const auto j = w.loop(X.size(-1), "j");
    const InRow x = value(w, X, j);
    const Expression n = terms(), epsilon = constant(w.op()["epsilon"], "ε"), mu = letter("μ"),
                     root = sqrt(letter("σ²") + epsilon),
                     variance = w.op()["one_pass"] != 0 ? sum(square(x.j)) / n - square(mu)
                                                        : sum(square(x.j - mu)) / n;
    const auto with_moments = [&](const Expression& body) {
        return let("μ", sum(x.j) / n, let("σ²", variance, body));
    };
    const Expression gamma = w.value(scale, {w.own(-1)});
    if (!w.is_gradient())
        return w.is(with_moments((x.here - mu) / root * gamma + w.value(shift, {w.own(-1)})));
    const InRow dy = gradient(w, output, j);
    const Expression gamma_j = w.value(scale, {j}), r = letter("r"), g = dy.j * gamma_j;
    return w.is(with_moments(
        let("r", 1 / root,
            r * (dy.here * gamma - sum(g) / n - (x.here - mu) * r * (sum(g * ((x.j - mu) * r)) / n)))));
}

// L = ln Σ_j exp(x_j) − (1 − ε) x[label] − ε mean(x)      ∂L/∂x = softmax(x) − q,  q = (1 − ε) [is label] + ε
// / C
Equation cross_entropy(EquationWriter& w) {
    const Tensor &x = w.op().inputs[0], &labels = w.op().inputs[1];
    const auto j = w.loop(x.size(-1), "j");
    const double smoothing = w.op()["label_smoothing"];
    const Expression epsilon = constant(smoothing, "ε"), n = terms();
    if (!w.is_gradient()) {
        const auto with = [&](EquationWriter::Index last) {
            EquationWriter::Places places = w.all_own();
            places.push_back(last);
            return places;
        };
        const Expression label = w.value(labels, w.all_own());
        const Expression right = w.value(x, with({EquationWriter::Index::by, w.last_read()})),
                         x_j = w.value(x, with(j));
        const auto pulled = [&](const Expression& total) {
            if (smoothing == 0) return total - right;
            return let("mean", sum(x_j) / n,
                       total - Expression(1 - smoothing) * right - Expression(smoothing) * letter("mean"));
        };
        const Expression m = letter("m"),
                         loss = needs_shift(w, x) ? let_largest(x_j, pulled(f("ln", sum(exp(x_j - m))) + m))
                                                  : pulled(f("ln", sum(exp(x_j))));
        return w.is(noted(choice(greater(0, label), 0, loss),
                          {{"the label is {value}, and is not counted", label.index},
                           {"the label is {value}", label.index}}));
    }
    EquationWriter::Places row = w.all_own();
    row.pop_back();
    const Expression label = w.value(labels, row), dL = w.gradient(w.op().output, row);
    const Expression p =
        shifted(w, x, value(w, x, j), [](const InRow& e) { return exp(e.here) / sum(exp(e.j)); });
    const Expression is_label = equal(label, place(w.of().rank() - 1));
    const Expression q =
        smoothing > 0 ? choice(is_label, 1 - epsilon, 0) + epsilon / n : choice(is_label, 1, 0);
    return w.is(choice(greater(0, label), 0, dL * (p - q)));
}

}  // namespace glassbox::tracer::equations
