#pragma once
#include <string>

#include <glassbox/observe/trace.h>

namespace tracer {

// What is said of a step beside its numbers, by the last part of its path: "encoder/0/logits" is a "logits".
struct Legend {
    std::string formula;   // "Q Kᵀ"; empty for an input
    std::string sentence;  // one plain sentence
};

// `before` names the step that an attention step reads: "scaled", "masked" or "logits".
Legend legend_of(const std::string& path, const std::string& before);

}  // namespace tracer
