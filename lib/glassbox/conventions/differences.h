#pragma once
#include <glassbox/conventions/convention.h>

namespace glassbox {

// One choice in which two conventions differ, with the reason: what docs/conventions.md says of it.
struct Difference {
    std::string choice;  // "LayerNorm's ε"
    std::string first, second;
    std::string why;
    std::vector<std::string> steps;  // in which it can show first: in their numbers or shapes …
    bool adds_steps = false;         // … or because only one of the two has them
};
[[nodiscard]] std::vector<Difference> differences(const Convention& a, const Convention& b);

}  // namespace glassbox
