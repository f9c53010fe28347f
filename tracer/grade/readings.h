#pragma once
#include <string>
#include <vector>

#include <glassbox/io/named_tensors.h>

#include "grade/inputs.h"

namespace glassbox::tracer {

// What run_function.cpp reports of a function's parameters.
struct FunctionParameters {
    std::vector<std::string> not_taken;  // of what was drawn
    NamedTensors kept;                   // of biases and norms: 1 where a parameter has the number
    bool take_no_input = false;
    bool take_time_alone = false;  // of an encoding of times, and not the series
    bool take_width = false;       // of a schedule: the paper's, by d_model
};

// One reading of the task: what the layer computes then, and a remark on it. `remark` is empty if the task
// itself is explicit.
struct Reading {
    TaskInputs inputs;
    std::string remark{};
};

// The task as known to a function with these parameters: options not passed to it are left out, and biases
// without a parameter are 0, norms 1. For an unnamed optimiser adam and adamw.
std::vector<Reading> readings_of(const CourseTask& task, const TaskInputs& inputs,
                                 const FunctionParameters& parameters);

// As run_function.cpp shows it to functions that take no other: with a mask of only "padding", or only
// "later" keys; "add": one of 0 and −∞; "cut": with queries, keys and values of one shape; "" is the task's
// own.
Reading shown_as(Reading reading, const std::string& way);

// Readings in which a wrong result may be right, if the course names no convention: the one the judge finds,
// the ε of PyTorch's norms, qkv_proj's rows in PyTorch's order.
std::vector<Reading> other_readings(const CourseTask& task, const TaskInputs& inputs,
                                    const std::string& right_with);

// The layer's steps up to the last that is the same for other inputs, or for another series only, as given by
// a function of only sizes, or of times;
// all without one.
NamedTensors steps_without_input(const CourseTask& task, const TaskInputs& inputs, NamedTensors steps,
                                 bool only_series = false);

}  // namespace glassbox::tracer
