#pragma once
#include "grade/mark.h"
#include "grade/run_code.h"

namespace tracer {

// Compares what was handed in with the library's own computation, in a process of its own, and names the
// mistakes. Right numbers are in its messages with `expected` only. `layout` is that of tracer check: of the
// last array's axes, which the inputs say.
Judged judge_arrays(const Course& course, const TaskInputs& inputs, const std::string& file_name,
                    const std::string& bytes, const char* layout, bool expected);
Judged judge_lesson(const Course& course, const CourseTask& task, const TaskInputs& inputs,
                    const CodeResult& work, const LessonPlaces& places, bool expected);

}  // namespace tracer
