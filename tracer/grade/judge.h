#pragma once
#include <string>

#include "grade/mark.h"
#include "grade/run_code.h"

namespace glassbox::tracer {

// Compares the submission with the library's own computation, in a separate process, and names the mistakes.
// Its messages contain right numbers only with `expected`. The bytes are the student's file, or what the
// student's function returned. Pairs of mistakes are searched if `is_searched`.
Judged judge_arrays(const Course& course, const CourseTask& task, const TaskInputs& inputs,
                    const std::string& bytes, bool expected, bool is_searched = true);
Judged judge_lesson(const Course& course, const CourseTask& task, const TaskInputs& inputs,
                    const CodeResult& work, const LessonPlaces& places, bool expected);

// Judges what run_function.py kept, a file of arrays, by the plan that comes nearest to the right numbers.
// What the function has no parameter for is left out of the layer, unless the course asks for it. Throws
// IoError if its parameter names do not tell what they take, and no argument makes it right.
Judged judge_function(const Course& course, const CourseTask& task, const TaskInputs& inputs,
                      const std::string& bytes, bool expected);

}  // namespace glassbox::tracer
