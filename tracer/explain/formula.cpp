// How a formula is written, in symbols and in numbers, and in which steps it is worked out.
#include "explain/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/number.h"

namespace glassbox::tracer {
namespace {

using Part = Formula::Kind;

constexpr std::size_t max_terms = 8;  // longer sums are shortened

bool is_chain(const Formula& f) { return f.kind == Part::plus || f.kind == Part::minus; }
bool is_product(const Formula& f) { return f.kind == Part::times || f.kind == Part::over; }
bool is_sum(const Formula& f) { return f.kind == Part::sum; }
bool is_reduction(const Formula& f) { return is_sum(f) || f.kind == Part::max || f.kind == Part::min; }

// ---- writing ---------------------------------------------------------------------------------------------

enum Binding { as_sum, as_product, as_atom };  // determines parentheses

class FormulaWriter {
  public:
    FormulaWriter(const Labels* labels) : labels_(labels) {}  // none: in symbols

    // `is_first`: no operator before it, so that a negative number needs no parentheses.
    std::string text(const Formula& f, bool is_first = true) const {
        switch (f.kind) {
            case Part::leaf:
                return leaf(f, is_first);
            case Part::plus:
            case Part::minus:
            case Part::times:
            case Part::over:
                return binary(f, is_first);
            case Part::negative:
                return "-" + enclosed(f.of[0], !f.is_tight && !is_product(f.of[0]));
            case Part::function:
                return function(f);
            case Part::sum:
                return sum(f, is_first);
            case Part::max:
            case Part::min:
                return labels_ ? fmt::format("{}({})", f.kind == Part::max ? "max" : "min", listed(f))
                               : f.symbols;
            case Part::inner:
                return is_named(f) ? f.symbols : text(f.of[0]);
        }
        return "";
    }

  private:
    bool is_named(const Formula& f) const { return !labels_ && !f.symbols.empty(); }

    Binding binding(const Formula& f) const {
        if (f.kind == Part::inner)
            return is_named(f) ? as_atom : is_sum(f.of[0]) && !labels_ ? as_sum : binding(f.of[0]);
        if (is_chain(f) || (f.kind == Part::negative && !f.is_tight)) return as_sum;
        if (is_product(f) || f.kind == Part::negative) return as_product;
        // In symbols Σ takes what follows it.
        if (is_sum(f) && labels_)
            return f.of.size() == 1 ? binding(f.of[0]) : f.of.empty() ? as_atom : as_sum;
        return as_atom;
    }

    std::string enclosed(const Formula& f, bool is_needed, bool is_first = true) const {
        return is_needed ? '(' + text(f) + ')' : text(f, is_first);
    }

    std::string leaf(const Formula& f, bool is_first) const {
        if (!labels_ && !f.symbols.empty()) return f.symbols;
        if (!f.numbers.empty()) return f.numbers;
        const real value = static_cast<real>(f.value);
        const int precision = labels_ ? labels_->precision() : 8;
        if (labels_ && !f.digits.empty())
            return f.digits[0] == '-' && !is_first ? '(' + f.digits + ')' : f.digits;
        return is_first ? number(value, precision) : operand(value, precision);
    }

    std::string binary(const Formula& f, bool is_first) const {
        const Formula &a = f.of[0], &b = f.of[1];
        const bool around_a = is_product(f) && binding(a) == as_sum;
        const bool around_b = (f.kind != Part::plus && binding(b) == as_sum) ||
                              (f.kind == Part::over && binding(b) == as_product);
        const std::string left = enclosed(a, around_a, is_first);
        if (labels_ && f.kind == Part::plus && b.is_leaf() && b.numbers.empty() && !is_operand(a))
            return left + added(text(b));
        const char* sign = f.kind == Part::plus                     ? " + "
                           : f.kind == Part::minus                  ? " - "
                           : f.kind == Part::over                   ? (f.is_tight ? "/" : " / ")
                           : a.is_letter && b.is_letter && !labels_ ? " "
                           : f.is_tight                             ? "·"
                                                                    : " · ";
        const std::string right = enclosed(b, around_b, false);
        return left + sign + (right[0] == '-' ? '(' + right + ')' : right);
    }

    // " + 0.5", " - 0.5"
    static std::string added(const std::string& number) {
        return number[0] == '-' ? " - " + number.substr(1) : " + " + number;
    }

    // A number that the op was given, beside which a negative one stays in parentheses.
    static bool is_operand(const Formula& f) {
        return (f.is_leaf() && !f.is_result) || f.kind == Part::inner;
    }

    std::string function(const Formula& f) const {
        const Formula& x = f.of[0];
        const bool is_power = f.name == "pow";
        if (is_power || f.name == "square") {
            const bool is_open = !x.is_leaf() && x.kind != Part::function;
            const std::string base = enclosed(x, is_open, false);
            if (!is_power || f.of[1].value == 2) return base + "²";
            if (f.of[1].value == 3) return base + "³";
            const std::string power = text(f.of[1]);
            return base + "^" + (f.of[1].is_leaf() && power[0] != '-' ? power : '(' + power + ')');
        }
        const bool is_open_sum = !labels_ && is_sum(x) && x.symbols.starts_with("Σ");
        if (is_open_sum && f.name != "sqrt") return f.name + " " + text(x);
        std::string arguments;
        for (const Formula& each : f.of) arguments += (arguments.empty() ? "" : ", ") + text(each);
        if (f.name == "sqrt") return "√(" + arguments + ")";
        return (f.name == "relu" ? "max(0, " : f.name + "(") + arguments + ")";
    }

    std::string more(const Formula& f) const {
        return fmt::format("… ({} more terms) …", f.terms - f.of.size());
    }

    std::string sum(const Formula& f, bool is_first) const {
        if (!labels_) return f.symbols;
        if (f.of.size() == 1) return text(f.of[0], is_first);
        std::string written;
        for (std::size_t i = 0; i < f.of.size(); ++i) {
            if (i + 1 == f.of.size() && f.terms > i + 1) written += " + " + more(f);
            if (i == 0) written += text(f.of[i]);
            else if (f.of[i].is_leaf()) written += added(text(f.of[i]));
            else written += " + " + text(f.of[i], false);
        }
        return written.empty() ? "0" : written;
    }

    std::string listed(const Formula& f) const {
        std::string written;
        for (std::size_t i = 0; i < f.of.size(); ++i) {
            if (i + 1 == f.of.size() && f.terms > i + 1) written += ", " + more(f);
            written += (i ? ", " : "") + text(f.of[i]);
        }
        return written;
    }

    const Labels* labels_;
};

// ---- working out -----------------------------------------------------------------------------------------

Formula worked_out(const Formula& f) {
    Formula result = Formula::leaf(f.value);
    result.is_result = f.kind != Part::inner;
    return result;
}

bool has_open_terms(const Formula& f) {
    return std::any_of(f.of.begin(), f.of.end(), [](const Formula& each) { return !each.is_leaf(); });
}

// Works out the innermost parts that get a line. Returns false if there are none and only the result is left
// to write.
bool work_inside(Formula& f);

bool work_out(Formula& f) {
    if (f.is_leaf()) return false;
    if (f.kind == Part::inner) return f = worked_out(f), true;
    if (is_sum(f)) {
        if (f.of.size() == 1) return work_out(f.of[0]);
        if (f.of.empty()) return false;
        if (has_open_terms(f)) {
            for (Formula& term : f.of) term = worked_out(term);
            return true;
        }
        if (f.terms > f.of.size()) return f = worked_out(f), true;
        return false;
    }
    // ln(1 + 2.7) and ln(16.3), of a sum not written in full, have no separate line.
    if (f.kind == Part::function && f.of.size() == 1 && (is_sum(f.of[0]) || f.of[0].is_result))
        return work_out(f.of[0]);
    if (f.kind == Part::function || is_reduction(f)) return f = worked_out(f), true;
    if (work_inside(f)) return true;
    return f = worked_out(f), true;
}

// Sums of sums are worked out as one.
bool work_in_chain(Formula& f) { return is_chain(f) ? work_inside(f) : work_out(f); }

bool work_inside(Formula& f) {
    if (is_reduction(f)) {
        if (!has_open_terms(f) || f.of.size() == 1) return false;
        for (Formula& term : f.of) term = worked_out(term);
        return true;
    }
    bool is_changed = false;
    for (std::size_t i = 0; i < f.of.size(); ++i) {
        const bool goes_on = is_chain(f) && i == 0;
        if (goes_on ? work_in_chain(f.of[i]) : work_out(f.of[i])) is_changed = true;
    }
    return is_changed;
}

// Whether it is a last line: at most three numbers, without parentheses.
bool is_simple(const Formula& f, std::size_t& numbers) {
    if (f.is_leaf()) return ++numbers <= 3;
    if (is_sum(f) && f.of.size() == 1) return is_simple(f.of[0], numbers);
    if (!is_chain(f) && !is_product(f)) return false;
    const auto goes_on = [&](const Formula& x) { return !is_product(f) || !is_chain(x); };
    return goes_on(f.of[0]) && goes_on(f.of[1]) && (f.of[1].is_leaf()) && is_simple(f.of[0], numbers) &&
           is_simple(f.of[1], numbers);
}

bool is_simple(const Formula& f) {
    std::size_t numbers = 0;
    return is_simple(f, numbers);
}

}  // namespace

bool is_written(std::size_t term, std::size_t terms) {
    return terms <= max_terms || term < max_terms - 2 || term + 1 == terms;
}

std::string symbols_of(const Formula& f) { return FormulaWriter(nullptr).text(f); }
std::string numbers_of(const Formula& f, const Labels& labels) { return FormulaWriter(&labels).text(f); }

std::vector<std::string> lines_of(Formula f, const Labels& labels) {
    std::vector<std::string> lines{numbers_of(f, labels)};
    while (!is_simple(f) && work_inside(f)) {
        std::string line = numbers_of(f, labels);
        if (line != lines.back()) lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace glassbox::tracer
