#pragma once
#include <string>

namespace tracer {

// Arrays as source code writes them, in brackets: C's and Wolfram's braces, R's c(…) and matrix(…), calls of
// reshape, with a mark for the shape that a declaration says (float x[3][2]).
std::string with_plain_code(std::string text);

}  // namespace tracer
