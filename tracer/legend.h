#pragma once
#include <string>

#include <glassbox/observe/trace.h>

namespace tracer {

// What is said of a step beside its numbers, by the last part of its path: "encoder/0/logits" is a "logits".
struct Legend {
    std::string formula;   // "Q Kᵀ"; empty for an input
    std::string sentence;  // one plain sentence
};

// `before` names the step that it reads: "scaled", "masked" or "logits". `fill` is what hidden scores become.
Legend legend_of(const std::string& path, const std::string& before, double fill);

}  // namespace tracer
