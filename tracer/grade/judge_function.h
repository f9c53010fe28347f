#pragma once
#include <string>
#include <vector>

#include <glassbox/io/named_tensors.h>

#include "grade/judge.h"

namespace tracer {

// What a function gave in one of the ways in which it was called: by "=name" or "#place" (run_function.cpp).
using GivenArrays = glassbox::NamedTensors;

// Several arrays that may be these steps or those: nobody's mistake.
struct UnclearSteps : glassbox::Error {
    using glassbox::Error::Error;
};

// The steps that these arrays are, as glassbox.check takes them (python/glassbox/steps_of.py): by their
// names, else by their shapes; of several of one shape by their numbers. `right` has the layer's steps, in
// order. Throws UnclearSteps where that cannot be told, and Error where they cannot be any.
glassbox::NamedTensors steps_in(const GivenArrays& given, const glassbox::NamedTensors& right);

// Judges what run_function.py kept, a file of arrays: the way that comes nearest to what is right. What it
// has no parameter for is left out of the layer, unless the course asks for it. Throws IoError where the
// names of its parameters do not say what they take, and nothing that they can take makes it right.
Judged judge_function(const Course& course, const CourseTask& task, const TaskInputs& inputs,
                      const std::string& bytes, bool expected);

}  // namespace tracer
