#pragma once
#include <optional>
#include <string>
#include <vector>

namespace glassbox::tracer::spreadsheet {

// Thrown if no range of cells holds the numbers, or a function takes no range: the terms are then written out
// one by one.
struct NotARange {};

// A part of a formula as text, with what it takes to join it to others.
struct Formula {
    // How strongly its last operator binds, so that parentheses appear only where they are needed.
    enum Level { comparison, sum, product, power, atom };
    // A single number; or one for each term: along a row, down a column, in a block, in a block with the
    // loops the other way round.
    enum Extent { single, row, column, block, turned };

    std::string text;
    Level level = atom;
    Extent extent = single;
    bool is_range = false;         // cells as they are: SUMPRODUCT takes them one by one
    std::optional<double> number;  // known now: places and counts

    bool varies() const { return extent != single; }
    bool is(double value) const { return number && *number == value; }
};

Formula number(double value);  // as Excel writes it: 1E-05; −∞ as −1E+300, which is as good in sums and exp
std::string number_text(double value);
constexpr double infinite = 1e300;

Formula operator+(const Formula& a, const Formula& b);
Formula operator-(const Formula& a, const Formula& b);
Formula operator*(const Formula& a, const Formula& b);
Formula operator/(const Formula& a, const Formula& b);
Formula operator-(const Formula& a);

// A function of an Expression: exp, ln, pow, relu, … Throws Error for one that it does not know.
Formula call(const std::string& function, const std::vector<Formula>& of);
Formula equal(const Formula& a, const Formula& b);
Formula greater(const Formula& a, const Formula& b);
Formula choice(const Formula& condition, const Formula& a, const Formula& b);

// Over all terms; `count` of them where the term does not vary.
Formula sum_of(const Formula& term, double count);
Formula product_sum(const Formula& a, const Formula& b, double count);         // Σ a b
Formula extreme_of(const std::string& function, const Formula& term);          // MAX, MIN
Formula joined(const std::string& function, const std::vector<Formula>& all);  // MAX(a,b)

}  // namespace glassbox::tracer::spreadsheet
