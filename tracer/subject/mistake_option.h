#pragma once
#include <string>

#include <glassbox/mistakes/mistake_scope.h>

#include "cli/option_value.h"

namespace glassbox::tracer {

// --mistake attention/over-queries, 'encoder/0: attention/over-queries in head 1'
template <>
struct OptionValue<PlacedMistake> {
    static constexpr const char* value_name = "STEP/NAME";
    static PlacedMistake parse(const Typed& typed);
    static std::string text(const PlacedMistake& mistake) { return mistake.name(); }
    static Values values(const OptionInfo& about);
};

std::vector<std::string> mistake_keys();  // of the catalogue, in its order

}  // namespace glassbox::tracer
