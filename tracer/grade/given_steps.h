#pragma once
#include <string>

#include <glassbox/io/named_tensors.h>
#include <glassbox/tensor/format.h>

namespace glassbox::tracer {

// What a function returned in one way of calling it: by "=name" or "#place" (run_function.cpp).
using GivenArrays = NamedTensors;

// Several arrays that may be these steps or those: not a mistake.
struct UnclearSteps : Error {
    using Error::Error;
};

// The steps that these arrays are, as glassbox.check takes them (python/glassbox/steps_of.py): by their
// names, else by their shapes; of several of one shape by their numbers. `right` has the layer's steps, in
// order. Throws UnclearSteps if that is ambiguous, and Error if they cannot be any.
NamedTensors steps_in(const GivenArrays& given, const NamedTensors& right);

// Whether a step of this path has this name: "self_attn/values", values.
bool is_path_of(const std::string& path, const std::string& name);
bool is_loss(const std::string& path);
// One number is one number, as () or as (1).
bool have_one_shape(const Tensor& a, const Tensor& b);
// How far from the right numbers, relative to the largest of them; only to identify the step.
double distance(const Tensor& given, const Tensor& right);

}  // namespace glassbox::tracer
