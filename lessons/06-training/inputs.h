#pragma once
// For call.cpp and check.cpp.
#include "../support/arrays.h"
#include "lesson.h"

namespace lesson {

// What the functions are given.
struct Inputs {
    explicit Inputs(const Tensors& golden) : all(golden) {}

    Vector vector(const char* name) const { return vector_of(all.at(name)); }
    Matrix matrix(const char* name) const { return matrix_of(all.at(name)); }
    double number(const char* name) const { return static_cast<double>(all.at(name).item()); }
    Gradients gradients() const { return {matrix("gradients/W"), matrix("gradients/b")}; }
    double max_norm() const { return number("max_norm"); }
    Schedule schedule() const {
        return {number("peak"), number_of(all.at("warmup")), number_of(all.at("updates"))};
    }
    AdamW adamw() const {
        return {number("beta1"), number("beta2"), number("epsilon"), number("weight_decay")};
    }

    const Tensors& all;
};

}  // namespace lesson
