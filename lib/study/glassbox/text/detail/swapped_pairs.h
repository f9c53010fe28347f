#pragma once
#include <string>
#include <vector>

namespace glassbox {

// What is to be said of sentences that say the same in one language: the same text on both sides, and pairs
// of which the two sides are exchanged. Each language has words of its own, so that its sentences are known
// by them. Empty where nothing is.
std::vector<std::string> notes_on_sides(const std::vector<std::string>& source,
                                        const std::vector<std::string>& target);

}  // namespace glassbox
