#pragma once
#include <string>
#include <vector>

namespace glassbox {

// chrF2 (Popović 2015): how many n-grams of 1 to 6 characters, white space left out, translation and
// reference share, from 0 to 100; recall counts twice as much as precision. As sacrebleu computes it for a
// corpus with one reference each. UTF-8; characters are code points. Throws Error for lists of different
// lengths.
double chrf(const std::vector<std::string>& translations, const std::vector<std::string>& references);

}  // namespace glassbox
