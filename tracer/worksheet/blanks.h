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
using Places = std::map<std::string, std::vector<bool>>;  // of a step's numbers, row by row

template <>
struct OptionValue<Blanks> {
    static constexpr const char* value_name = "STEP,STEP";
    static Blanks parse(const Typed& typed);
    static std::string text(const Blanks& blanks);
    static Values values(const OptionInfo& about) { return {.words = about.words, .is_list = true}; }
};

// For each step with blanks, which of its numbers are blank, row by row. Throws UsageError for a step or
// place that does not exist, and for one that cannot be computed, such as an input.
Places blank_places(const Blanks& blanks, const Trace& trace);

// About `wanted` of these, some of every step: whole rows, the same of each step, so that a position can be
// followed from one to the next. The last rows come first, from which a causal mask hides least.
void choose_some(Places& blanks, const Trace& trace, index_t wanted);

// The same with all numbers that are only blank ones moved: the Q of a blank qkv would give its answers away.
Places with_copies(Places blanks, const Trace& trace);

}  // namespace glassbox::tracer
