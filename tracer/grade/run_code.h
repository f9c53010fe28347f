#pragma once
#include <filesystem>
#include <string>

#include "grade/hand_in.h"
#include "grade/inputs.h"
#include "grade/process.h"
#include "grade/sandbox.h"

namespace tracer {

// What a hand-in's code gave for the inputs.
struct CodeResult {
    std::string problem, detail;  // why it gave nothing, and what the compiler or Python said; else empty
    std::string arrays{};         // a file of arrays
    // Of a lesson: in which cases it stopped early (lessons/support/grading.h), and the arrays for the other
    // inputs, empty if that call left none.
    std::string stopped{}, other_arrays{};
};

// What a run of it says; its result is a stranger's.
CodeResult result_of(const RunResult& ran, const CourseTask& task);

// Runs it in the sandbox, where there are the hand-in, the inputs and what the lesson gives to everybody.
CodeResult run_code(const Course& course, const CourseTask& task, const HandInFile& hand_in,
                    const TaskInputs& inputs, const LessonPlaces& places, const Sandbox& sandbox);

}  // namespace tracer
