#pragma once
#include <string>
#include <vector>

#include "check.h"

namespace lesson {

// The outcome as a student reads it: every case; the first that is wrong step by step; a hint; what to do
// next. `name` is what was checked.
std::string show(const Lesson& lesson, const std::vector<Outcome>& outcomes, const std::string& name,
                 bool colors);

}  // namespace lesson
