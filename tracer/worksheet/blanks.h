#pragma once
#include <map>
#include <string>
#include <vector>

#include <glassbox/observe/trace.h>

#include "cli/option_value.h"

namespace glassbox::tracer {

// --blank scaled,attention[0,1]: steps and single places.
struct Blanks {
    std::vector<std::string>
        wanted;  // empty: every step that can be computed, and is no other's numbers moved
};

template <>
struct OptionValue<Blanks> {
    static constexpr const char* value_name = "STEP,STEP";
    static Blanks parse(const Typed& typed);
    static std::string text(const Blanks& blanks);
    static Values values(const OptionInfo& about) { return {.words = about.words, .is_list = true}; }
};

// For each step with blanks, which of its numbers are blank, row by row. Throws UsageError for a step or
// place that does not exist, and for one that cannot be computed, such as an input.
std::map<std::string, std::vector<bool>> blank_places(const Blanks& blanks, const Trace& trace);

// The same with all numbers that are only blank ones moved: the Q of a blank qkv would give its answers away.
std::map<std::string, std::vector<bool>> with_copies(std::map<std::string, std::vector<bool>> blanks,
                                                     const Trace& trace);

}  // namespace glassbox::tracer
