// Lesson 03: your work. Fill in the three steps in order, and ask after each whether it is right:
//     ./dev lesson 03
// lesson.h, beside this file, has the formulas.
#include "lesson.h"

#include <cmath>  // std::sin, std::cos, std::pow

void positional_encoding(const Matrix& x, int shift, Steps& steps) {
    // 1  encoding: even columns a sine, odd columns a cosine. Beware: in C++ 1 / 2 is 0, 1 / 2.0 is 0.5.
    //    For a start:  steps.encoding = Matrix(x.rows(), x.columns());

    // 2  output: x and encoding together.

    // 3  M[i]: the four numbers that turn pair i at any position into pair i at the position `shift` further.
    //    sin(a + b) = sin a · cos b + cos a · sin b,  cos(a + b) = cos a · cos b - sin a · sin b
    //    For a start:  steps.M = Matrices(x.columns() / 2, 2, 2);
}
