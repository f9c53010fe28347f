#pragma once
#include <functional>
#include <optional>
#include <string>

#include "commands/shared/named_model.h"

namespace glassbox::tracer {

// The option with which a command line about a model would pass, such as "--mask causal", or nothing if none
// does. Only options that were not typed are tried, one at a time, at most this many; the place of the norm
// and the activation also in place of the typed ones.
std::optional<std::string> option_that_passes(const std::string& verb, const Arguments& arguments,
                                              const std::function<void(Options&)>& declare,
                                              const std::function<bool(NamedModel&)>& passes, index_t tries);

// How else the seed's numbers may have been drawn so that a model passes: "seed 42 as PyTorch draws them, in
// the order Q, V, K". Empty if none is found until the time is over, or if nothing of the model was drawn.
std::string draws_that_pass(NamedModel& model, const std::function<bool(const Subject&)>& passes,
                            index_t tries);

}  // namespace glassbox::tracer
