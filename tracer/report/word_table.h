#pragma once
#include <string>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace tracer {

// Whole numbers below the words that they stand for, aligned, each row of x in lines of at most `width`
// columns (0: 100), each line after `indent`:
//     Je  suis  étudiant
//      4     5         6
// With positions, the place of each in its row stands above. A long table is cut: "… and 120 more".
std::string word_table(const std::vector<std::string>& words, const glassbox::Tensor& x, bool positions,
                       int width, const std::string& indent);

}  // namespace tracer
