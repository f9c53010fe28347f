// What each op does to one number: symbols, numbers, and the numbers it took.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "explain.h"
#include "number.h"
#include "place.h"

namespace tracer {
namespace {

constexpr std::size_t most_terms = 8;                          // of a sum that are written out
constexpr std::pair<const char*, const char*> functions[] = {  // ops of one number, as they are written
    {"exp", "exp("},   {"log", "ln("},      {"sqrt", "√("},
    {"tanh", "tanh("}, {"relu", "max(0, "}, {"negate", "-("}};
constexpr double plain_exponent = 80;  // exp beyond ±80 leaves float's range: show the shifted form

// Long sums are cut in the middle.
bool is_written(std::size_t term, std::size_t terms) {
    return terms <= most_terms || term < most_terms - 2 || term + 1 == terms;
}

std::string shown(double value, int precision) { return number(static_cast<real>(value), precision); }

}  // namespace

// The label of a sum's first term, with a letter in place of the index that runs: Q[0,c].
std::string Explainer::running_label(const Element& first, const Element& next, char letter) const {
    std::string text = label(first);
    const std::size_t open = text.find('[');
    if (open == std::string::npos) return text;
    std::vector<std::string> words;
    for (std::size_t i = 0; i < first.at.size(); ++i)
        words.push_back(first.at[i] == next.at[i] ? std::to_string(first.at[i]) : std::string(1, letter));
    return fmt::format("{}[{}]", text.substr(0, open), fmt::join(words, ","));
}

// "a + b - c", in the middle "… (90 more) …" when there are many.
std::string Explainer::summed(const std::vector<std::string>& terms) const {
    std::string text;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        if (terms.size() > most_terms && i == most_terms - 2) {
            text += fmt::format(" + … ({} more terms) …", terms.size() - most_terms + 1);
            i = terms.size() - 1;
        }
        const bool negative = terms[i][0] == '-' && terms[i].find_first_of("+·") == std::string::npos;
        if (i == 0) text += terms[i];
        else text += negative ? " - " + terms[i].substr(1) : " + " + terms[i];
    }
    return terms.empty() ? "0" : text;
}

// C[…,i,j] = Σ_c A[…,i,c]·B[…,c,j]. The letter is c, a feature; j, a key, where the weights of a softmax run.
Arithmetic Explainer::matmul(const Element& y, const Trace::Operation& op) const {
    const Tensor &A = op.inputs[0], &B = op.inputs[1];
    const std::size_t last = y.at.size() - 1;
    const auto term = [&](index_t k) {
        std::vector<index_t> a = y.at, b = y.at;
        a[last] = k;
        b[last - 1] = k;
        return std::pair{resolve(broadcast_from(a, A)), resolve(broadcast_from(b, B))};
    };
    Arithmetic result;
    const index_t n = A.size(-1);
    const Trace::Operation* left_op = trace_.operation_of(A);
    const char letter = left_op && std::string_view(left_op->op) == "softmax" ? 'j' : 'c';
    std::vector<std::string> factors, products;
    for (index_t k = 0; k < n; ++k) {
        const auto [a, b] = term(k);
        if (is_written(static_cast<std::size_t>(k), static_cast<std::size_t>(n))) {
            result.parts.push_back(a);
            result.parts.push_back(b);
        }
        const std::string left = number(a.value(), precision_);
        factors.push_back((k == 0 ? left : operand(a.value(), precision_)) + "·" +
                          operand(b.value(), precision_));
        products.push_back(
            shown(static_cast<double>(a.value()) * static_cast<double>(b.value()), precision_));
    }
    if (n == 0) result.symbols = "an empty sum";
    else if (n == 1) result.symbols = label(term(0).first) + "·" + label(term(0).second);
    else
        result.symbols =
            fmt::format("Σ_{} {}·{}", letter, running_label(term(0).first, term(1).first, letter),
                        running_label(term(0).second, term(1).second, letter));
    result.lines = {summed(factors)};
    if (n > 1) result.lines.push_back(summed(products));
    return result;
}

// What softmax and log_softmax have in common: the row of x, and how its exponentials are written. Where exp
// leaves float's range they are shifted by the row's largest, m.
struct Explainer::Exponentials {
    std::vector<Element> row;
    bool is_shifted = false;
    std::string running;                     // "exp(x[0,j])" or "exp(x[0,j] - m)"
    std::vector<std::string> terms, values;  // "exp(0.5)" and what it is
};

Explainer::Exponentials Explainer::exponentials(const Element& y, const Tensor& x, Arithmetic& result) const {
    Exponentials e;
    double most = -INFINITY;
    bool has_nan = false;
    for (index_t j = 0; j < x.size(-1); ++j) {
        std::vector<index_t> at = y.at;
        at.back() = j;
        e.row.push_back(resolve({x, at}));
        most = std::max<double>(most, e.row.back().value());
        has_nan = has_nan || std::isnan(e.row.back().value());
    }
    e.is_shifted = std::abs(most) > plain_exponent && !has_nan;
    const double m = e.is_shifted ? most : 0;
    const std::string minus = e.is_shifted ? " - " + operand(static_cast<real>(m), precision_) : "";
    for (std::size_t j = 0; j < e.row.size(); ++j) {
        const real value = e.row[j].value();
        e.terms.push_back(fmt::format("exp({}{})", number(value, precision_), minus));
        e.values.push_back(shown(std::exp(static_cast<double>(value) - m), precision_));
        if (is_written(j, e.row.size())) result.parts.push_back(e.row[j]);
    }
    const std::string name = e.row.size() > 1 ? running_label(e.row[0], e.row[1], 'j') : label(e.row[0]);
    e.running = fmt::format("exp({}{})", name, e.is_shifted ? " - m" : "");
    return e;
}

// y[…,i] = exp(x[…,i]) / Σ_j exp(x[…,j])
Arithmetic Explainer::softmax(const Element& y, const Trace::Operation& op) const {
    Arithmetic result;
    const Exponentials e = exponentials(y, op.inputs[0], result);
    const std::size_t i = static_cast<std::size_t>(y.at.back());
    result.symbols = fmt::format("exp({}{}) / Σ_j {}{}", label(e.row[i]), e.is_shifted ? " - m" : "",
                                 e.running, e.is_shifted ? ", m the row's largest" : "");
    result.lines = {fmt::format("{} / ({})", e.terms[i], summed(e.terms)),
                    fmt::format("{} / ({})", e.values[i], summed(e.values))};
    return result;
}

// y[…,i] = x[…,i] − ln Σ_j exp(x[…,j])
Arithmetic Explainer::log_softmax(const Element& y, const Trace::Operation& op) const {
    Arithmetic result;
    const Exponentials e = exponentials(y, op.inputs[0], result);
    const Element& x = e.row[static_cast<std::size_t>(y.at.back())];
    real most = -INFINITY;
    for (const Element& each : e.row) most = std::max(most, each.value());
    const std::string minus = e.is_shifted ? " - " + operand(most, precision_) : "";
    result.symbols = fmt::format("{}{} - ln Σ_j {}{}", label(x), e.is_shifted ? " - m" : "", e.running,
                                 e.is_shifted ? ", m the row's largest" : "");
    const std::string value = number(x.value(), precision_);
    result.lines = {fmt::format("{}{} - ln({})", value, minus, summed(e.terms)),
                    fmt::format("{}{} - ln({})", value, minus, summed(e.values))};
    return result;
}

// y = Σ x, over all axes, over one, or over those that broadcasting would repeat (sum_to)
Arithmetic Explainer::total(const Element& y, const Trace::Operation& op) const {
    const Tensor& x = op.inputs[0];
    std::vector<Element> terms;
    if (std::string_view(op.op) == "sum_to") {
        for (index_t i = 0; i < x.numel(); ++i) {
            const std::vector<index_t> at = place_of(x.shape(), i);
            if (broadcast_from(at, y.tensor).at == y.at) terms.push_back(resolve({x, at}));
        }
    } else if (y.tensor.numel() == 1 && x.rank() != y.tensor.rank() + 1) {
        for (index_t i = 0; i < x.numel(); ++i) terms.push_back(resolve({x, place_of(x.shape(), i)}));
    } else {
        std::vector<index_t> at = y.at;
        if (y.tensor.rank() < x.rank()) at.insert(at.begin() + op.axis, 0);
        for (index_t i = 0; i < x.size(op.axis); ++i) {
            at[static_cast<std::size_t>(op.axis)] = i;
            terms.push_back(resolve({x, at}));
        }
    }
    Arithmetic result;
    std::vector<std::string> values;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        values.push_back(number(terms[i].value(), precision_));
        if (is_written(i, terms.size())) result.parts.push_back(terms[i]);
    }
    result.symbols = terms.size() > 1 ? "Σ " + label(terms[0]) + " …"
                     : terms.empty()  ? "an empty sum"
                                      : label(terms[0]);
    result.lines = {summed(values)};
    return result;
}

// y = value where the mask is 0, else x
Arithmetic Explainer::masked(const Element& y, const Trace::Operation& op) const {
    const Element x = resolve({op.inputs[0], y.at});
    const bool hidden = broadcast_from(y.at, op.inputs[1]).value() == 0;
    Arithmetic result;
    if (hidden) {
        result.symbols = fmt::format("{}: the mask hides {}", number(y.value(), precision_), label(x));
        return result;
    }
    result.symbols = fmt::format("{}, which the mask lets through", label(x));
    result.parts = {x};
    return result;
}

// y = a ± b, a·b, a / b, with broadcasting
Arithmetic Explainer::pairwise(const Element& y, const Trace::Operation& op, const char* sign) const {
    const Element a = resolve(broadcast_from(y.at, op.inputs[0])),
                  b = resolve(broadcast_from(y.at, op.inputs[1]));
    const bool b_is_number = b.tensor.rank() == 0 && !is_named(b.tensor) && !trace_.operation_of(b.tensor);
    const std::string right =
        b_is_number ? root_or_number(b.value(), precision_) : operand(b.value(), precision_);
    Arithmetic result;
    result.symbols = fmt::format("{} {} {}", label(a), sign, label(b));
    result.lines = {fmt::format("{} {} {}", number(a.value(), precision_), sign, right)};
    result.parts = {a};
    if (!b_is_number) result.parts.push_back(b);
    return result;
}

// y = f(x); a sum that has no name of its own is written inside: tanh(a + b)
Arithmetic Explainer::function(const Element& y, const Trace::Operation& op, const char* f) const {
    const Element x = resolve({op.inputs[0], y.at});
    Arithmetic result;
    const Trace::Operation* below = is_named(x.tensor) ? nullptr : trace_.operation_of(x.tensor);
    if (below && (std::string_view(below->op) == "add" || std::string_view(below->op) == "sub")) {
        const Arithmetic inner = pairwise(x, *below, *below->op == 'a' ? "+" : "-");
        result.symbols = fmt::format("{}{})", f, inner.symbols);
        result.lines = {fmt::format("{}{})", f, inner.lines[0]),
                        fmt::format("{}{})", f, number(x.value(), precision_))};
        result.parts = inner.parts;
        return result;
    }
    result.symbols = fmt::format("{}{})", f, label(x));
    result.lines = {fmt::format("{}{})", f, number(x.value(), precision_))};
    result.parts = {x};
    return result;
}

// An op that is no arithmetic of a few numbers, such as fused attention.
Arithmetic Explainer::whole(const Element& y, const Trace::Operation& op) const {
    std::string from;
    for (const Tensor& input : op.inputs) from += (from.empty() ? "" : ", ") + name_of(input);
    return {fmt::format("{}: computed by {} from {}", number(y.value(), precision_), op.op, from), {}, {}};
}

Arithmetic Explainer::arithmetic(const Element& element) const {
    const Trace::Operation* op = trace_.operation_of(element.tensor);
    if (!op) return {};
    const std::string_view name = op->op;
    if (name == "matmul") return matmul(element, *op);
    if (name == "log_softmax") return log_softmax(element, *op);
    if (name == "softmax") return softmax(element, *op);
    if (name == "sum" || name == "sum_to") return total(element, *op);
    if (name == "masked_fill") return masked(element, *op);
    if (name == "add") return pairwise(element, *op, "+");
    if (name == "sub") return pairwise(element, *op, "-");
    if (name == "mul") return pairwise(element, *op, "·");
    if (name == "div") return pairwise(element, *op, "/");
    if (name == "permute" || name == "slice" || name == "reshape" || name == "contiguous" ||
        name == "broadcast_to" || name == "concat") {  // a named view: the same number under another name
        Element below = name == "concat"                       ? part_of_concat(element, *op)
                        : name == "permute" || name == "slice" ? by_address(element, op->inputs[0])
                        : name == "broadcast_to"
                            ? broadcast_from(element.at, op->inputs[0])
                            : Element{op->inputs[0], place_of(op->inputs[0].shape(),
                                                              linear_of(element.tensor.shape(), element.at))};
        below = resolve(below);
        if (!trace_.operation_of(below.tensor) && !is_named(below.tensor)) return {};  // an input
        if (is_named(below.tensor)) {
            Arithmetic same;
            same.symbols = label(below);
            same.parts = {below};
            return same;
        }
        return arithmetic(below);  // an unnamed value under it: explain that
    }
    for (const auto& [known, f] : functions)
        if (name == known) return function(element, *op, f);
    return whole(element, *op);
}

}  // namespace tracer
