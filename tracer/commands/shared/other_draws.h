#pragma once
#include <functional>
#include <string>

#include "commands/shared/named_model.h"

namespace tracer {

// How else the seed's numbers may have been drawn so that a model passes: "seed 42 as PyTorch draws them, in
// the order Q, V, K". Empty if none is found until the time is over, or if nothing of the model was drawn.
std::string draws_that_pass(NamedModel& model, const std::function<bool(const Subject&)>& passes,
                            glassbox::index_t tries);

}  // namespace tracer
