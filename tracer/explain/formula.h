#pragma once
#include <string>
#include <vector>

#include "explain/expression.h"
#include "explain/labels.h"

namespace glassbox::tracer {

// An equation at one place: an expression whose leaves are numbers with what they are called.
struct Formula {
    enum class Kind {
        leaf,
        plus,
        minus,
        times,
        over,
        negative,
        function,
        sum,  // of terms, of which long ones keep the first and the last in `of`
        max,
        min,
        inner  // another formula in place of a number that has no name
    };
    Kind kind = Kind::leaf;
    double value = 0;
    std::string symbols;  // of a leaf; of a sum "Σ_c Q[0,c]·K[1,c]"; of an inner formula, if it has a name
    std::string numbers;  // of a leaf that is not written as its value: √2
    std::string digits;   // of a leaf's value; empty: by the precision
    std::string name;     // of a function
    std::vector<Formula> of;
    std::size_t terms = 0;   // of a sum, with those that are not written
    bool is_tight = false;   // a·b, a/b
    bool is_letter = false;  // what a let has named
    bool is_result = false;  // of a part that was worked out

    static Formula leaf(double value, std::string symbols = "", std::string numbers = "") {
        Formula f;
        f.value = value;
        f.symbols = std::move(symbols);
        f.numbers = std::move(numbers);
        return f;
    }
    bool is_leaf() const { return kind == Kind::leaf; }
};

// Whether the n-th of this many terms is written: long sums leave out those before the last.
bool is_written(std::size_t term, std::size_t terms);

std::string symbols_of(const Formula& f);
std::string numbers_of(const Formula& f, const Labels& labels);
// The formula in numbers, then with its innermost parts worked out, and so on, up to the result.
std::vector<std::string> lines_of(Formula f, const Labels& labels);

}  // namespace glassbox::tracer
