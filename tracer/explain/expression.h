#pragma once
#include <string>
#include <vector>

namespace glassbox::tracer {

// The right side of an equation: numbers that it reads, joined by arithmetic.
struct Expression {
    enum class Kind {
        number,    // 2
        constant,  // ε: a number with a name
        read,      // the n-th read of the equation
        place,     // the place of the number itself on an axis: the feature i of a position code
        terms,     // n, the number of terms of a sum
        plus,
        minus,
        times,
        over,
        negative,
        function,  // exp(x); pow(x, p)
        sum,       // Σ over the equation's loops; with a condition, of the terms where it holds
        max,
        min,
        choice,   // condition ? a : b
        equal,    // a condition
        greater,  // a condition
        let,      // μ = a, in b
        letter    // μ
    };
    Kind kind = Kind::number;
    double value = 0;  // of a number or a constant
    int index = 0;     // of a read, or an axis
    std::string name;  // of a constant, a function or a letter

    // Text for the reader beside the arithmetic: "the mask hides {label}", with {label} and {value} those of
    // a read. For a choice one per side; for a read or a let at most one.
    struct Note {
        std::string words;
        int of = -1;
    };
    std::vector<Note> notes;
    std::vector<Expression> of;  // operands

    Expression() = default;
    Expression(double number) : value(number) {}  // so that formulas read as they are written: 1 + t
    Expression(Kind made, std::vector<Expression> operands, std::string called = "")
        : kind(made), name(std::move(called)), of(std::move(operands)) {}
};

Expression constant(double value, const std::string& name);
Expression read(int n);
Expression place(int axis);
Expression terms();

Expression operator+(const Expression& a, const Expression& b);
Expression operator-(const Expression& a, const Expression& b);
Expression operator*(const Expression& a, const Expression& b);
Expression operator/(const Expression& a, const Expression& b);
Expression operator-(const Expression& a);

Expression f(const std::string& function, const Expression& x);
Expression f(const std::string& function, const Expression& x, const Expression& setting);
Expression exp(const Expression& x);
Expression square(const Expression& x);
Expression sqrt(const Expression& x);

Expression sum(const Expression& term);
Expression sum(const Expression& term, const Expression& condition);
Expression max(const Expression& term);
Expression min(const Expression& term);

Expression equal(const Expression& a, const Expression& b);
Expression greater(const Expression& a, const Expression& b);
Expression choice(const Expression& condition, const Expression& a, const Expression& b);
Expression noted(Expression e, std::vector<Expression::Note> notes);

// "μ = value" on its own line; then `body`, which has letter("μ") where it uses it. A note explains the
// letter in words, instead of the line.
Expression let(const std::string& letter, const Expression& value, const Expression& body);
Expression letter(const std::string& name);

}  // namespace glassbox::tracer
