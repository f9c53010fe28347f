#pragma once
#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>

#include "commands/shared/model_command.h"

namespace glassbox::tracer {

// A function of each row of scores, without weights: `result` is computed from the step x.
struct RowFunction {
    const char* title;
    const StepInfo &x, &result;
    Tensor (*function)(const Tensor& x);
    const char* written_out = nullptr;  // the function itself, where the step's formula only names it
};

// Its command, without order, name, summary and examples. `of` must outlive it.
ModelCommand command_of_rows(const RowFunction& of);

}  // namespace glassbox::tracer
