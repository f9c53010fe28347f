#pragma once
#include <string>

#include "grade/judge.h"

namespace tracer {

// Judges what run_function.py kept, a file of arrays: the way that comes nearest to what is right. What it
// has no parameter for is left out of the layer, unless the course asks for it. Throws IoError where the
// names of its parameters do not say what they take, and nothing that they can take makes it right.
Judged judge_function(const Course& course, const CourseTask& task, const TaskInputs& inputs,
                      const std::string& bytes, bool expected);

}  // namespace tracer
