#pragma once
#include <string>

#include "grade/inputs.h"

namespace tracer {

// The program that calls a student's Python function in the sandbox. It computes nothing.
const char* run_function_py();
// Of the Python module: what people call arrays and numbers. Made from python/glassbox/signature.py.
const char* signature_py();

// What it is told: the function, and the values of the layer's options.
std::string call_json(const Course& course, const CourseTask& task, const TaskInputs& inputs);

}  // namespace tracer
