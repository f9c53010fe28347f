#pragma once
#include <filesystem>
#include <string>

#include "grade/inputs.h"
#include "grade/process.h"
#include "grade/sandbox.h"
#include "grade/submission.h"

namespace glassbox::tracer {

// The output of a submission's code for the inputs.
struct CodeResult {
    std::string problem, detail;  // why it gave nothing, with the compiler's or Python's message; else empty
    std::string arrays{};         // a file of arrays
    // Of a lesson: in which cases it stopped early (lessons/support/grading.h), and the arrays for the other
    // inputs, empty if that call left none.
    std::string stopped{}, other_arrays{};
};

// Tries once, before anything in Python is graded, whether it has what it needs. Throws UsageError.
void try_python(const Sandbox& sandbox, const Limits& limits);
// Why it has not: a sentence about a run in which NumPy was not there.
std::string why_no_numpy(const RunResult& ran);

// The report of a run; its result is untrusted. Throws IoError if the student's code did not run through no
// fault of its own.
CodeResult result_of(const RunResult& ran, const CourseTask& task);

// Runs it in the sandbox with the submission, the inputs and the files that the lesson gives to every
// student.
CodeResult run_code(const Course& course, const CourseTask& task, const Submission& submission,
                    const TaskInputs& inputs, const LessonPlaces& places, const Sandbox& sandbox);

}  // namespace glassbox::tracer
