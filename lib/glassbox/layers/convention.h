#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace glassbox {

inline constexpr double default_mask_fill = -9e15;  // of uva-jax, the default convention

// The sources disagree in details that change every number. A convention names one source's choices; layers
// read them from here and nowhere else. docs/conventions.md sets them side by side.
struct Convention {
    std::string name;
    std::string source;
    double mask_fill;  // the score of a hidden key
    std::string rng;   // whose random numbers the source's printed examples come from
};

// uva-jax (default), uva-torch, report, paper.
const std::vector<Convention>& conventions();
// Throws UsageError that lists the names when there is no such convention.
const Convention& convention(std::string_view name);

}  // namespace glassbox
