#pragma once
#include <functional>
#include <string>
#include <vector>

#include "report/report.h"

namespace glassbox::tracer {

// How a step's numbers are written on a terminal.
struct MatrixStyle {
    int width = 80;        // columns
    int digits = 4;        // after the point
    bool shrinks = false;  // fewer of them where a row then needs fewer lines
    std::string indent;
    // The number's text in its colours, of the same width.
    std::function<std::string(const std::string& text, real value)> decorate;
    bool color = false;      // of all else
    bool is_beside = false;  // matrices of one step stand side by side, as many as fit
};

// The matrices of x, the step's value or of its shape, below each other, each under its place on the axes
// before: "head 0". With words along rows or columns it is a table, else in brackets. Weights of keys that a
// mask hides are hatched.
std::string matrix_text(const Report::Step& step, const Tensor& x, Report::Kind kind,
                        const MatrixStyle& style);

}  // namespace glassbox::tracer
