#pragma once
#include <string>

#include <glassbox/decoding/decoding.h>

#include "cli/options.h"

namespace glassbox::tracer {

// How a word is chosen: temperature, top k, top p, repetition penalty.
void declare_choices(Options& o, DecodingConfig& how);
void check_choices(const DecodingConfig& how);  // throws UsageError
// "temperature 0.8, of the 3 most likely"
std::string choices_text(const DecodingConfig& how);

}  // namespace glassbox::tracer
