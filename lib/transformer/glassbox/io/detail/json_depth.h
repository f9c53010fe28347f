#pragma once
#include <string_view>

namespace glassbox {

// How deep lists and objects of a JSON text are inside one another. Programs that copy or walk a value call
// themselves for each level, so that a file of brackets alone would exhaust the stack: readers refuse what is
// deeper than `max_json_depth`.
constexpr int max_json_depth = 64;
int json_depth(std::string_view json);

}  // namespace glassbox
