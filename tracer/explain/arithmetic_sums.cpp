#include "explain/arithmetic_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "cli/multi_index.h"
#include "cli/number.h"

namespace tracer::arithmetic {
namespace {

constexpr std::size_t max_terms = 8;   // longer sums are shortened
constexpr double plain_exponent = 80;  // exp beyond ±80 leaves float's range: show the shifted form

// Whether a term of a sum is shown: long sums leave out those before the last.
bool is_written(std::size_t term, std::size_t terms) {
    return terms <= max_terms || term < max_terms - 2 || term + 1 == terms;
}

double product(const Element& a, const Element& b) {
    return static_cast<double>(a.value()) * static_cast<double>(b.value());
}

std::string more(std::size_t terms) { return fmt::format("… ({} more terms) …", terms - max_terms + 1); }

}  // namespace

std::vector<Element> written_terms(const std::vector<Element>& terms) {
    std::vector<Element> result;
    for (std::size_t i = 0; i < terms.size(); ++i)
        if (is_written(i, terms.size())) result.push_back(terms[i]);
    return result;
}

std::string running_label(const Element& first, const Element& next, char letter, const Labels& labels) {
    const std::string text = labels.label(first);
    const std::size_t open = text.rfind('[');
    if (open == std::string::npos) return text;
    if (first.tensor.id() != next.tensor.id()) return text + " …";
    std::vector<std::string> words;
    for (std::size_t i = 0; i < first.at.size(); ++i)
        words.push_back(first.at[i] == next.at[i] ? std::to_string(first.at[i]) : std::string(1, letter));
    return fmt::format("{}[{}]", text.substr(0, open), fmt::join(words, ","));
}

std::string summed(const std::vector<std::string>& terms) {
    std::string text;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        if (terms.size() > max_terms && i == max_terms - 2) {
            text += " + " + more(terms.size());
            i = terms.size() - 1;
        }
        const bool negative = terms[i][0] == '-' && terms[i].find_first_of("+·") == std::string::npos;
        if (i == 0) text += terms[i];
        else text += negative ? " - " + terms[i].substr(1) : " + " + terms[i];
    }
    return terms.empty() ? "0" : text;
}

namespace {

// Σ a·b, with `letter` as the summation index
Arithmetic products(const std::vector<std::pair<Element, Element>>& factors, char letter,
                    const Labels& labels) {
    Arithmetic result;
    const std::size_t n = factors.size();
    std::vector<std::string> written, values;
    for (std::size_t k = 0; k < n; ++k) {
        const auto& [a, b] = factors[k];
        if (is_written(k, n)) {
            result.parts.push_back(a);
            result.parts.push_back(b);
        }
        const std::string left =
            k == 0 ? number(a.value(), labels.precision()) : operand(a.value(), labels.precision());
        written.push_back(left + "·" + operand(b.value(), labels.precision()));
        values.push_back(labels.shown(product(a, b)));
    }
    if (n == 0) result.symbols = "an empty sum";
    else if (n == 1) result.symbols = labels.label(factors[0].first) + "·" + labels.label(factors[0].second);
    else
        result.symbols = fmt::format("Σ_{} {}·{}", letter,
                                     running_label(factors[0].first, factors[1].first, letter, labels),
                                     running_label(factors[0].second, factors[1].second, letter, labels));
    result.lines = {summed(written)};
    if (n > 1) result.lines.push_back(summed(values));
    return result;
}

}  // namespace

// C[…,i,j] = Σ_c A[…,i,c]·B[…,c,j]. The index is c, a feature; or j, a key, after a softmax.
Arithmetic matmul(const Element& y, const glassbox::Operation& op, const Labels& labels) {
    const Tensor &A = op.inputs[0], &B = op.inputs[1];
    const std::size_t last = y.at.size() - 1;
    std::vector<std::pair<Element, Element>> factors;
    for (index_t k = 0; k < A.size(-1); ++k) {
        std::vector<index_t> a = y.at, b = y.at;
        a[last] = k;
        b[last - 1] = k;
        factors.emplace_back(labels.resolve(broadcast_from(a, A)), labels.resolve(broadcast_from(b, B)));
    }
    const glassbox::Operation* left = labels.trace().operation_of(A);
    return products(factors, left && std::string_view(left->op) == "softmax" ? 'j' : 'c', labels);
}

// y[…,o] = Σ_c x[…,c]·W[o,c] + b[o]
Arithmetic linear(const Element& y, const glassbox::Operation& op, const Labels& labels) {
    const index_t o = y.at.back();
    std::vector<std::pair<Element, Element>> factors;
    for (const Element& x : row_of(y, op.inputs[0], labels)) {
        const index_t c = static_cast<index_t>(factors.size());
        factors.emplace_back(x, labels.resolve({op.inputs[1], {o, c}}));
    }
    Arithmetic result = products(factors, 'c', labels);
    if (op.inputs.size() < 3) return result;
    const Element b = labels.resolve({op.inputs[2], {o}});
    if (factors.size() > max_terms) {
        double total = 0;
        for (const auto& [x, w] : factors) total += product(x, w);
        result.lines.push_back(labels.shown(total));
    }
    result.symbols += " + " + labels.label(b);
    for (std::string& line : result.lines) line += labels.plus(b.value());
    result.parts.push_back(b);
    return result;
}

namespace {

// The elements a sum or a maximum was taken over: all, those along an axis, or those that broadcasting would
// repeat (sum_to).
std::vector<Element> reduced(const Element& y, const glassbox::Operation& op, const Labels& labels) {
    const Tensor& x = op.inputs[0];
    const bool is_sum_to = std::string_view(op.op) == "sum_to";
    const bool has_axis = op.has("axis") && x.rank() == y.tensor.rank() + 1;
    const bool is_over_all = y.tensor.numel() == 1 && !has_axis;
    std::vector<Element> terms;
    if (is_sum_to || is_over_all) {
        for (index_t i = 0; i < x.numel(); ++i) {
            const std::vector<index_t> at = place_of(x.shape(), i);
            if (is_over_all || broadcast_from(at, y.tensor).at == y.at)
                terms.push_back(labels.resolve({x, at}));
        }
        return terms;
    }
    std::vector<index_t> at = y.at;
    if (y.tensor.rank() < x.rank()) at.insert(at.begin() + op.axis(), 0);
    for (index_t i = 0; i < x.size(op.axis()); ++i) {
        at[static_cast<std::size_t>(op.axis())] = i;
        terms.push_back(labels.resolve({x, at}));
    }
    return terms;
}

}  // namespace

// y = Σ x
Arithmetic total(const Element& y, const glassbox::Operation& op, const Labels& labels) {
    const std::vector<Element> terms = reduced(y, op, labels);
    std::vector<std::string> values;
    for (const Element& each : terms) values.push_back(number(each.value(), labels.precision()));
    const bool is_along_axis = std::string_view(op.op) == "sum" && y.tensor.rank() + 1 == op.inputs[0].rank();
    Arithmetic result;
    if (terms.empty()) result.symbols = "an empty sum";
    else if (terms.size() == 1) result.symbols = labels.label(terms[0]);
    else
        result.symbols = is_along_axis ? "Σ_i " + running_label(terms[0], terms[1], 'i', labels)
                                       : "Σ " + labels.label(terms[0]) + " …";
    result.lines = {summed(values)};
    result.parts = written_terms(terms);
    return result;
}

// y = max x or min x along an axis
Arithmetic extreme(const Element& y, const glassbox::Operation& op, const Labels& labels) {
    const std::vector<Element> terms = reduced(y, op, labels);
    std::string values;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        if (terms.size() > max_terms && i == max_terms - 2) {
            values += ", " + more(terms.size());
            i = terms.size() - 1;
        }
        values += (i ? ", " : "") + number(terms[i].value(), labels.precision());
    }
    Arithmetic result;
    result.symbols = terms.size() > 1
                         ? fmt::format("{}_i {}", op.op, running_label(terms[0], terms[1], 'i', labels))
                         : fmt::format("{}({})", op.op, labels.label(terms[0]));
    result.lines = {fmt::format("{}({})", op.op, values)};
    result.parts = written_terms(terms);
    return result;
}

std::vector<Element> row_of(const Element& y, const Tensor& x, const Labels& labels) {
    std::vector<Element> row;
    std::vector<index_t> at = y.at;
    for (index_t j = 0; j < x.size(-1); ++j) {
        at.back() = j;
        row.push_back(labels.resolve({x, at}));
    }
    return row;
}

namespace {

// Shared by softmax, log_softmax and cross_entropy: the row of x, and how its exponentials are written. Where
// exp leaves float's range, the row's maximum m is subtracted.
struct Exponentials {
    std::vector<Element> row;
    bool is_shifted = false;
    std::string running;                     // "exp(x[0,j])" or "exp(x[0,j] - m)"
    std::vector<std::string> terms, values;  // "exp(0.5)" and its value
};

Exponentials exponentials(const Element& y, const Tensor& x, Arithmetic& result, const Labels& labels) {
    Exponentials e;
    e.row = row_of(y, x, labels);
    double max = -INFINITY;
    bool has_nan = false;
    for (const Element& each : e.row) {
        max = std::max<double>(max, each.value());
        has_nan = has_nan || std::isnan(each.value());
    }
    e.is_shifted = std::abs(max) > plain_exponent && !has_nan;
    const double m = e.is_shifted ? max : 0;
    const std::string minus = e.is_shifted ? " - " + operand(static_cast<real>(m), labels.precision()) : "";
    for (const Element& each : e.row) {
        const real value = each.value();
        e.terms.push_back(fmt::format("exp({}{})", number(value, labels.precision()), minus));
        e.values.push_back(labels.shown(std::exp(static_cast<double>(value) - m)));
    }
    result.parts = written_terms(e.row);
    const std::string name =
        e.row.size() > 1 ? running_label(e.row[0], e.row[1], 'j', labels) : labels.label(e.row[0]);
    e.running = fmt::format("exp({}{})", name, e.is_shifted ? " - m" : "");
    return e;
}

}  // namespace

// y[…,i] = exp(x[…,i]) / Σ_j exp(x[…,j])
Arithmetic softmax(const Element& y, const glassbox::Operation& op, const Labels& labels) {
    Arithmetic result;
    const Exponentials e = exponentials(y, op.inputs[0], result, labels);
    const std::size_t i = static_cast<std::size_t>(y.at.back());
    result.symbols = fmt::format("exp({}{}) / Σ_j {}{}", labels.label(e.row[i]), e.is_shifted ? " - m" : "",
                                 e.running, e.is_shifted ? ", m the row's largest" : "");
    result.lines = {fmt::format("{} / ({})", e.terms[i], summed(e.terms)),
                    fmt::format("{} / ({})", e.values[i], summed(e.values))};
    return result;
}

// y[…,i] = x[…,i] − ln Σ_j exp(x[…,j])
Arithmetic log_softmax(const Element& y, const glassbox::Operation& op, const Labels& labels) {
    Arithmetic result;
    const Exponentials e = exponentials(y, op.inputs[0], result, labels);
    const Element& x = e.row[static_cast<std::size_t>(y.at.back())];
    real max = -INFINITY;
    for (const Element& each : e.row) max = std::max(max, each.value());
    const std::string minus = e.is_shifted ? " - " + operand(max, labels.precision()) : "";
    result.symbols = fmt::format("{}{} - ln Σ_j {}{}", labels.label(x), e.is_shifted ? " - m" : "", e.running,
                                 e.is_shifted ? ", m the row's largest" : "");
    const std::string value = number(x.value(), labels.precision());
    result.lines = {fmt::format("{}{} - ln({})", value, minus, summed(e.terms)),
                    fmt::format("{}{} - ln({})", value, minus, summed(e.values))};
    return result;
}

// L[…] = ln Σ_j exp(x[…,j]) − (1 − ε) x[…,label] − ε mean_j x[…,j]; ε is 0 without label smoothing
Arithmetic cross_entropy(const Element& y, const glassbox::Operation& op, const Labels& labels) {
    const Tensor &x = op.inputs[0], &targets = op.inputs[1];
    const index_t label_here = static_cast<index_t>(targets.at(y.at));
    if (label_here < 0) return {fmt::format("0: the label is {}, and is not counted", label_here), {}, {}};
    std::vector<index_t> at = y.at;
    at.push_back(label_here);
    Arithmetic result;
    const Exponentials e = exponentials({x, at}, x, result, labels);
    const Element& right = e.row[static_cast<std::size_t>(label_here)];
    real max = -INFINITY;
    double mean = 0;
    for (const Element& each : e.row) {
        max = std::max(max, each.value());
        mean += static_cast<double>(each.value()) / static_cast<double>(e.row.size());
    }
    const std::string back = e.is_shifted ? labels.plus(max) : "", m = e.is_shifted ? " + m" : "";
    const double smoothing = op["label_smoothing"];
    std::string pull = labels.label(right), value = operand(right.value(), labels.precision());
    if (smoothing > 0) {
        const std::string kept = labels.shown(1 - smoothing), spread = labels.shown(smoothing);
        pull = fmt::format("{}·{} - {}·mean", kept, pull, spread);
        value = fmt::format("{}·{} - {}·{}", kept, value, spread,
                            operand(static_cast<real>(mean), labels.precision()));
    }
    result.symbols = fmt::format("ln Σ_j {}{} - {}, the label is {}", e.running, m, pull, label_here);
    result.lines = {fmt::format("ln({}){} - {}", summed(e.terms), back, value),
                    fmt::format("ln({}){} - {}", summed(e.values), back, value)};
    return result;
}

}  // namespace tracer::arithmetic
