#pragma once
#include <string>

#include "grade/mark.h"
#include "grade/run_code.h"

namespace glassbox::tracer {

// Compares what was handed in with the library's own computation, in a process of its own, and names the
// mistakes. Right numbers are in its messages with `expected` only. The bytes are the student's file, or what
// the student's function returned. Pairs of mistakes are looked for where it `is_searched`.
Judged judge_arrays(const Course& course, const CourseTask& task, const TaskInputs& inputs,
                    const std::string& bytes, bool expected, bool is_searched = true);
Judged judge_lesson(const Course& course, const CourseTask& task, const TaskInputs& inputs,
                    const CodeResult& work, const LessonPlaces& places, bool expected);

// Judges what run_function.py kept, a file of arrays: the way that comes nearest to what is right. What it
// has no parameter for is left out of the layer, unless the course asks for it. Throws IoError where the
// names of its parameters do not say what they take, and nothing that they can take makes it right.
Judged judge_function(const Course& course, const CourseTask& task, const TaskInputs& inputs,
                      const std::string& bytes, bool expected);

}  // namespace glassbox::tracer
