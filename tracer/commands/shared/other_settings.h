#pragma once
#include <functional>
#include <optional>
#include <string>

#include "commands/shared/named_model.h"

namespace tracer {

// The option with which a command line about a model would pass, such as "--mask causal", or nothing if none
// does. Only options that were not typed are tried, one at a time, at most so many; the place of the norm and
// the activation also in place of the typed ones.
std::optional<std::string> option_that_passes(const std::string& verb, const Arguments& arguments,
                                              const std::function<void(Options&)>& declare,
                                              const std::function<bool(NamedModel&)>& passes,
                                              glassbox::index_t tries);

}  // namespace tracer
