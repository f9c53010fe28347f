#pragma once
#include <string>

#include <glassbox/tensor/real.h>

namespace tracer {

// A number of an array with the background that a heat map would give it: blue for the smallest, through
// dark grey, to red for the largest. For PrintStyle::decorate.
std::string heated(const std::string& text, glassbox::real value, double low, double high);

}  // namespace tracer
