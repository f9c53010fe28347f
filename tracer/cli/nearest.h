#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace glassbox::tracer {

// The candidate that a mistyped word most likely means (Damerau–Levenshtein distance, ignoring case and an
// option's leading dashes), or "" when none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// "; did you mean 'attention'?", or "" when no candidate is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace glassbox::tracer
