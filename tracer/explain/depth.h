#pragma once
#include <string>

#include "cli/option_value.h"

namespace glassbox::tracer {

// --depth N|all
struct Depth {
    static constexpr int no_limit = 1 << 30;
    int limit;
};

template <>
struct OptionValue<Depth> {
    static constexpr const char* value_name = "N";
    static Depth parse(const Typed& typed);
    static std::string text(const Depth& depth);
    static Values values(const OptionInfo&) { return {.words = {"all"}}; }
};

}  // namespace glassbox::tracer
