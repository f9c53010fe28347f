#pragma once
#include <string>
#include <vector>

#include "grade/grade_class.h"

namespace tracer {

// Grades five hand-ins of each task that need no student: what is right, what is empty, the inputs that were
// handed out, the same rounded in the place of steps, and zeros in the place of the result. Of a lesson the
// solution and the exercise as it came.
std::vector<StudentMarks> grade_trial(GradeRequest request);

// Whether what is right earns all, and nothing else earns anything.
bool is_sound(const std::vector<StudentMarks>& trial);

}  // namespace tracer
