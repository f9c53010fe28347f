#pragma once
#include <string>

#include "check.h"

namespace lesson {

// What a step is: the library's own formula and sentence, where it has them, and the lesson's hint for the
// step.
std::string formula_of(const Lesson& lesson, const Check& check, const std::string& step);

}  // namespace lesson
