#pragma once
#include <string>

#include <glassbox/tensor/shape.h>

namespace tracer {

// "1 step", "3 steps"; an irregular plural is given: counted(n, "query", "queries").
std::string counted(glassbox::index_t n, const std::string& one, const std::string& several = {});

}  // namespace tracer
