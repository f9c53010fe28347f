#pragma once
#include <string>

#include <glassbox/conventions/convention.h>

#include "cli/option_value.h"

namespace glassbox::tracer {

// --convention NAME
template <>
struct OptionValue<const Convention*> {
    static constexpr const char* value_name = "NAME";
    static const Convention* parse(const Typed& typed);
    static std::string text(const Convention* convention) { return convention ? convention->name : ""; }
    static Values values(const OptionInfo&) { return {convention_names(), true, false, {}, ""}; }
};

// --diff A,B
struct ConventionPair {
    const Convention *first, *second;
};

template <>
struct OptionValue<ConventionPair> {
    static constexpr const char* value_name = "A,B";
    static ConventionPair parse(const Typed& typed);
    static std::string text(const ConventionPair& pair) { return pair.first->name + "," + pair.second->name; }
    static Values values(const OptionInfo&) { return {convention_names(), false, true, {}, ""}; }
};

// Throws UsageError if the convention fixes d_ff and --dff is another.
void check_d_ff(const Convention& convention, index_t d_model, index_t d_ff);

}  // namespace glassbox::tracer
