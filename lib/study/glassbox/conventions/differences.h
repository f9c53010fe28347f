#pragma once
#include <glassbox/conventions/convention.h>

namespace glassbox {

// One choice in which two conventions differ, with the reason, as in the table of docs/conventions.md.
struct Difference {
    std::string choice;  // "LayerNorm's ε"
    std::string first, second;
    std::string why;
    std::vector<std::string> steps;  // the steps whose numbers or shapes it can change first …
    bool adds_steps = false;         // … or that only one of the two conventions has
};
[[nodiscard]] std::vector<Difference> differences(const Convention& a, const Convention& b);

}  // namespace glassbox
