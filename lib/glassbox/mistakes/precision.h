#pragma once
#include <string>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// A number format in which something may have been computed.
struct Precision {
    const char* name;  // "float16"
    double unit;       // its unit roundoff: 2^−11
    double smallest;   // of its positive numbers; below it there is only 0
};

// The format that all numbers fit: float16, bfloat16 or float32 if every number has so few digits, else the
// library's own. Numbers with very few digits, such as whole ones, say nothing: the library's own, too.
Precision precision_of(const Tensor& numbers);
Precision half_precision();     // float16
Precision bfloat_precision();   // bfloat16
Precision library_precision();  // of `real`

// Somebody's numbers for one step, of any shape.
struct HandedIn {
    std::string step;  // its path; empty: the result
    Tensor value;
    // By how much each number may be rounded, as decimal digits are; empty: not at all. By element,
    // row-major.
    std::vector<double> half_width{};
    bool fixed_axes = false;  // the axes are in the step's own order: no other is tried
};

}  // namespace glassbox
