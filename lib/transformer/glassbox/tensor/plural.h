#pragma once
#include <string>

#include <glassbox/tensor/shape.h>

namespace glassbox {

// "1 step", "3 steps"; an irregular plural is given: counted(n, "query", "queries").
inline std::string counted(index_t n, const std::string& one, const std::string& several = {}) {
    return std::to_string(n) + " " + (n == 1 ? one : several.empty() ? one + "s" : several);
}

}  // namespace glassbox
