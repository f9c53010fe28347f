#pragma once
#include <functional>

namespace glassbox::differences {

// f'(x) from values of f, with an error bound.
struct Derivative {
    double value;     // NaN where f is not finite next to x, however small h is
    double error;     // value ± error: rounding and truncation
    double jump = 0;  // at a kink: bound on the difference of the two slopes, value ± jump / 2; else 0
    double bend = 0;  // |f''(x)|, roughly; 0 at a kink
};

// The slopes of f from x − h to x and from x to x + h.
struct Slopes {
    double left, right;
    bool is_smooth;  // no kink is known between x − h and x + h
};

// Halves `h` until the smaller truncation error is outweighed by rounding. `noise` is the standard deviation
// of the rounding errors in f.
Derivative derivative(const std::function<Slopes(double h)>& slopes, double h, double noise);

}  // namespace glassbox::differences
