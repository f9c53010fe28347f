#pragma once
#include <optional>
#include <string>
#include <vector>

#include <glassbox/tensor/tensor.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

// A number format in which something may have been computed.
struct Precision {
    const char* name;  // "float16"
    double unit;       // its unit roundoff: 2^−11
    double smallest;   // of its positive numbers; below it there is only 0
};

// The format that all numbers fit: float16, bfloat16 or float32 if every number has so few digits, else the
// library's own. Numbers with very few digits, such as whole ones, show nothing: also the library's own.
Precision precision_of(const Tensor& numbers);
Precision half_precision();     // float16
Precision bfloat_precision();   // bfloat16
Precision library_precision();  // of `real`

// How many decimals the numbers were rounded to: 2 where each is a multiple of 0.01, in as many digits as
// they have. 0 where they were not rounded, or to fewer than two decimals.
int decimals_of(const Tensor& numbers);

// How the user's axes may differ from the step's own.
enum class SubmittedLayout {
    any,      // in any order, with axes of 1 more or less, flattened
    ordered,  // in the step's order; axes of 1 and merged ones are as good
    exact,    // the step's shape
};

// The user's numbers for one step, of any shape.
struct SubmittedStep {
    std::string step;  // its path; empty: the result
    Tensor value;
    // By how much each number may be rounded, as decimal digits are; empty: not at all. By element,
    // row-major.
    std::vector<double> half_width{};
    SubmittedLayout layout = SubmittedLayout::any;
    // In which they were computed, if known: decimal digits do not show it as bits do.
    std::optional<Precision> precision{};
};

// How many decimal digits the numbers have together: with a few, others agree with them by chance.
double decimal_digits_of(const SubmittedStep& submitted);

}  // namespace glassbox

template <>
struct glassbox::EnumWords<glassbox::SubmittedLayout> {
    static constexpr const char* what = "layout";
    static constexpr Word<glassbox::SubmittedLayout> all[] = {{glassbox::SubmittedLayout::any, "any"},
                                                              {glassbox::SubmittedLayout::ordered, "ordered"},
                                                              {glassbox::SubmittedLayout::exact, "exact"}};
};
