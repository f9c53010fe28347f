#pragma once
#include <string>
#include <vector>

#include <glassbox/io/named_tensors.h>

#include "grade/inputs.h"

namespace glassbox::tracer {

// What run_function.cpp says of a function's parameters.
struct Parameters {
    std::vector<std::string> not_taken;  // of what was drawn
    NamedTensors kept;                   // of biases and norms: 1 where a parameter has the number
    bool take_no_input = false;
    bool take_time_alone = false;  // of an encoding of times, and not the series
    bool take_width = false;       // of a schedule: the paper's, by d_model
};

// One way to understand the task: what the layer computes then, and what is said of it. `remark` is empty
// where the task says so itself.
struct Reading {
    TaskInputs inputs;
    std::string remark{};
};

// The task as a function with these parameters can know it: options that it is not told are left out, and
// biases that it has no parameter for are 0, norms 1. Of an optimiser that nobody names adam and adamw.
std::vector<Reading> readings_of(const CourseTask& task, const TaskInputs& inputs,
                                 const Parameters& parameters);

// As run_function.cpp shows it to functions that take no other: with a mask of "padding" alone, or of "later"
// keys alone; "add": one of 0 and −∞; "cut": with queries, keys and values of one shape; "" is the task's
// own.
Reading shown_as(Reading reading, const std::string& way);

// As what a result that is wrong may be right, where the course names no convention: in the one that the
// judge says, with the ε of PyTorch's norms, with qkv_proj's rows in PyTorch's order.
std::vector<Reading> other_readings(const CourseTask& task, const TaskInputs& inputs,
                                    const std::string& right_with);

// The layer's steps up to the last that is the same for other inputs, or another series alone, which a
// function of sizes alone gives, or of times;
// all where there is none.
NamedTensors steps_without_input(const CourseTask& task, const TaskInputs& inputs, NamedTensors steps,
                                 bool only_series = false);

}  // namespace glassbox::tracer
