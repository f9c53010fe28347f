#pragma once
#include <functional>

namespace glassbox::differences {

// f'(x) from values of f alone, and how well they tell it.
struct Derivative {
    double value;  // NaN where f is
    double error;  // value ± error, as rounding and step size allow
    double jump =
        0;  // at a kink: how far the slopes on both sides, value ± jump / 2, lie apart at most; else 0
};

// The slopes of f from x − h to x and from x to x + h.
struct Slopes {
    double left, right;
    bool is_smooth;  // no kink is known between x − h and x + h
};

// By halving `h` until less truncation only means more rounding. `noise` is the standard deviation of the
// rounding errors in f.
Derivative derivative(const std::function<Slopes(double h)>& slopes, double h, double noise);

}  // namespace glassbox::differences
