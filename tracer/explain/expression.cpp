#include "explain/expression.h"

#include <utility>

namespace glassbox::tracer {

using Kind = Expression::Kind;

namespace {

Expression indexed(Kind kind, int index) {
    Expression e;
    e.kind = kind;
    e.index = index;
    return e;
}

}  // namespace

Expression constant(double value, const std::string& name) {
    Expression e(Kind::constant, {}, name);
    e.value = value;
    return e;
}

Expression read(int n) { return indexed(Kind::read, n); }
Expression place(int axis) { return indexed(Kind::place, axis); }
Expression terms() { return indexed(Kind::terms, 0); }

Expression operator+(const Expression& a, const Expression& b) { return {Kind::plus, {a, b}}; }
Expression operator-(const Expression& a, const Expression& b) { return {Kind::minus, {a, b}}; }
Expression operator*(const Expression& a, const Expression& b) { return {Kind::times, {a, b}}; }
Expression operator/(const Expression& a, const Expression& b) { return {Kind::over, {a, b}}; }
Expression operator-(const Expression& a) { return {Kind::negative, {a}}; }

Expression f(const std::string& function, const Expression& x) { return {Kind::function, {x}, function}; }
Expression f(const std::string& function, const Expression& x, const Expression& setting) {
    return {Kind::function, {x, setting}, function};
}
Expression exp(const Expression& x) { return f("exp", x); }
Expression square(const Expression& x) { return f("square", x); }
Expression sqrt(const Expression& x) { return f("sqrt", x); }

Expression sum(const Expression& term) { return {Kind::sum, {term}}; }
Expression sum(const Expression& term, const Expression& condition) { return {Kind::sum, {term, condition}}; }
Expression max(const Expression& term) { return {Kind::max, {term}}; }
Expression min(const Expression& term) { return {Kind::min, {term}}; }

Expression equal(const Expression& a, const Expression& b) { return {Kind::equal, {a, b}}; }
Expression greater(const Expression& a, const Expression& b) { return {Kind::greater, {a, b}}; }
Expression choice(const Expression& condition, const Expression& a, const Expression& b) {
    return {Kind::choice, {condition, a, b}};
}

Expression noted(Expression e, std::vector<Expression::Note> notes) {
    e.notes = std::move(notes);
    return e;
}

Expression let(const std::string& letter, const Expression& value, const Expression& body) {
    return {Kind::let, {value, body}, letter};
}
Expression letter(const std::string& name) { return {Kind::letter, {}, name}; }

}  // namespace glassbox::tracer
