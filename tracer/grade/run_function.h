#pragma once
#include <string>
#include <vector>

#include "grade/inputs.h"

namespace glassbox::tracer {

// The program that calls a student's Python function in the sandbox. It computes nothing.
const char* run_function_py();
// The part of the Python module that assigns parameters: names and plans, without the rest of the package.
// Made from python/glassbox.
struct PythonFile {
    const char *name, *text;
};
const std::vector<PythonFile>& naming_py();

// For a loss the probabilities, which a function may take in place of logits; else empty.
std::vector<real> beside_inputs(const CourseTask& task, const TaskInputs& inputs);

// Its input: the function, and the values of the layer's options.
std::string call_json(const Course& course, const CourseTask& task, const TaskInputs& inputs,
                      const std::vector<real>& probabilities);

}  // namespace glassbox::tracer
