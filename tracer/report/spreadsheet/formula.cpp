#include "report/spreadsheet/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/format.h>

namespace glassbox::tracer::spreadsheet {
namespace {

using Level = Formula::Level;
using Extent = Formula::Extent;

std::string in_parentheses(const std::string& text) { return "(" + text + ")"; }

// As an operand of an operator that binds as strongly as `level`.
std::string within(const Formula& f, Level level) {
    return f.level < level ? in_parentheses(f.text) : f.text;
}

// Behind an operator. A sign there would be legal, but hard to read.
std::string behind(const Formula& f, Level level) {
    return f.level < level || f.text[0] == '-' ? in_parentheses(f.text) : f.text;
}

Extent extent_of(const Formula& a, const Formula& b) {
    if (a.varies() && b.varies() && a.extent != b.extent) throw NotARange();
    return a.varies() ? a.extent : b.extent;
}

Formula made(const std::string& text, Level level, Extent extent) { return {text, level, extent, false, {}}; }

Formula function(const std::string& name, const Formula& x) {
    return made(name + in_parentheses(x.text), Formula::atom, x.extent);
}

// −x^2 is (−x)^2 in a spreadsheet: a sign is put before an atom or in parentheses.
Formula powered(const Formula& x, const Formula& p) {
    const std::string base = x.text[0] == '-' ? in_parentheses(x.text) : within(x, Formula::atom);
    return made(base + "^" + behind(p, Formula::atom), Formula::power, extent_of(x, p));
}

Formula compared(const Formula& a, const char* sign, const Formula& b) {
    return made(within(a, Formula::sum) + sign + within(b, Formula::sum), Formula::comparison,
                extent_of(a, b));
}

// 1 and 0 for the conditions' TRUE and FALSE, where a number is needed.
Formula as_number(const Formula& f) {
    return f.level == Formula::comparison ? made(in_parentheses(f.text) + "*1", Formula::product, f.extent)
                                          : f;
}

}  // namespace

std::string number_text(double value) {
    if (std::isinf(value)) value = value < 0 ? -infinite : infinite;
    std::string text = fmt::format("{}", value == 0 ? 0 : value);
    std::replace(text.begin(), text.end(), 'e', 'E');
    constexpr std::size_t max_zeros = 6;
    const std::size_t zeros = text.size() - 1 - text.find_last_not_of('0');
    const bool is_whole = text.find_first_not_of("-0123456789") == std::string::npos;
    if (is_whole && value != 0 && zeros > max_zeros)
        text = fmt::format("{}E+{}", text.substr(0, text.size() - zeros), zeros);
    return text;
}

Formula number(double value) {
    Formula f = made(number_text(value), Formula::atom, Formula::single);
    f.number = value;
    return f;
}

Formula operator+(const Formula& a, const Formula& b) {
    if (a.is(0)) return b;
    if (b.is(0)) return a;
    return made(within(a, Formula::sum) + "+" + behind(b, Formula::sum), Formula::sum, extent_of(a, b));
}

Formula operator-(const Formula& a, const Formula& b) {
    if (b.is(0)) return a;
    return made(within(a, Formula::sum) + "-" + behind(b, Formula::product), Formula::sum, extent_of(a, b));
}

Formula operator*(const Formula& a, const Formula& b) {
    if (a.is(1)) return b;
    if (b.is(1)) return a;
    if (a.number && b.number && *a.number == std::floor(*a.number) && *b.number == std::floor(*b.number))
        return number(*a.number * *b.number);  // of places: 2·i
    return made(within(a, Formula::product) + "*" + behind(b, Formula::product), Formula::product,
                extent_of(a, b));
}

Formula operator/(const Formula& a, const Formula& b) {
    Formula f = made(within(a, Formula::product) + "/" + behind(b, Formula::power), Formula::product,
                     extent_of(a, b));
    if (a.number && b.number) f.number = *a.number / *b.number;
    return f;
}

Formula operator-(const Formula& a) {
    if (a.number) return number(-*a.number);
    return made("-" + within(a, Formula::atom), Formula::sum, a.extent);
}

Formula call(const std::string& name, const std::vector<Formula>& of) {
    const Formula& x = of[0];
    if (name == "exp" || name == "sqrt" || name == "sin" || name == "cos" || name == "tanh" || name == "ln" ||
        name == "abs") {
        std::string upper = name;
        for (char& c : upper) c = static_cast<char>(c - 'a' + 'A');
        return function(upper, x);
    }
    if (name == "square") return powered(x, number(2));
    if (name == "pow") return powered(x, of[1]);
    if (name == "sigmoid") return number(1) / (number(1) + function("EXP", -x));
    if (name == "floor") return x.number ? number(std::floor(*x.number)) : function("INT", x);
    if (name == "relu") return x.varies() ? greater(x, number(0)) * x : joined("MAX", {number(0), x});
    if (x.varies()) throw NotARange();  // what follows takes single numbers only
    if (name == "erf") return function("ERF", x);
    if (name == "max") return joined("MAX", of);
    if (name == "min") return joined("MIN", of);
    fail("xlsx: there is no spreadsheet function for {}", name);
}

Formula equal(const Formula& a, const Formula& b) {
    if (a.number && b.number) return number(*a.number == *b.number ? 1 : 0);
    return compared(a, "=", b);
}

Formula greater(const Formula& a, const Formula& b) {
    if (a.number && b.number) return number(*a.number > *b.number ? 1 : 0);
    return compared(a, ">", b);
}

// IF takes a range only in an array formula; products take it everywhere.
Formula choice(const Formula& condition, const Formula& a, const Formula& b) {
    if (condition.number) return *condition.number != 0 ? a : b;
    if (!condition.varies() && !a.varies() && !b.varies())
        return made(fmt::format("IF({},{},{})", condition.text, a.text, b.text), Formula::atom,
                    Formula::single);
    Formula chosen = a.is(0) ? number(0) : condition * as_number(a);
    return b.is(0) ? chosen : chosen + (number(1) - condition * number(1)) * b;
}

Formula sum_of(const Formula& term, double count) {
    if (!term.varies()) return number(count) * term;
    const char* name = term.is_range ? "SUM" : "SUMPRODUCT";
    return made(name + in_parentheses(as_number(term).text), Formula::atom, Formula::single);
}

Formula product_sum(const Formula& a, const Formula& b, double count) {
    if (!a.varies() || !b.varies()) return sum_of(a * b, count);
    if (a.extent == b.extent)
        return a.is_range && b.is_range
                   ? made(fmt::format("SUMPRODUCT({},{})", a.text, b.text), Formula::atom, Formula::single)
                   : sum_of(a * b, count);
    if (a.extent > Formula::column || b.extent > Formula::column) throw NotARange();
    // A row times a column is a matrix of one number; Excel makes an array of TRANSPOSE only on request.
    // Operands that are not plain ranges are arrays inside SUMPRODUCT in any version.
    const Formula &lying = a.extent == Formula::row ? a : b, &standing = a.extent == Formula::row ? b : a;
    const std::string text = fmt::format("MMULT({},{})", as_number(lying).text, as_number(standing).text);
    return made(a.is_range && b.is_range ? text : "SUMPRODUCT" + in_parentheses(text), Formula::atom,
                Formula::single);
}

Formula extreme_of(const std::string& name, const Formula& term) {
    if (term.varies() && !term.is_range) throw NotARange();
    return term.varies() ? made(name + in_parentheses(term.text), Formula::atom, Formula::single) : term;
}

Formula joined(const std::string& name, const std::vector<Formula>& all) {
    if (all.size() == 1) return all[0];
    std::vector<std::string> texts;
    for (const Formula& each : all) texts.push_back(each.text);
    return made(fmt::format("{}({})", name, fmt::join(texts, ",")), Formula::atom, Formula::single);
}

}  // namespace glassbox::tracer::spreadsheet
