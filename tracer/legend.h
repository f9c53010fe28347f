#pragma once
#include <string>

#include <glassbox/layers/convention.h>
#include <glassbox/observe/trace.h>

namespace tracer {

// What is said of a step beside its numbers, by the last part of its path: "encoder/0/logits" is a "logits".
struct Legend {
    std::string formula;   // "Q Kᵀ"; empty for an input
    std::string sentence;  // one plain sentence
};

// `before` names the step that it reads: "scaled", "masked" or "logits". `fill` is what hidden scores become.
Legend legend_of(const std::string& path, const std::string& before, double fill);

// The same for the steps of every layer, by the last two parts of the path ("mlp/hidden") and by what stands
// beside it in the trace.
Legend model_legend(const std::string& path, const std::string& before, const glassbox::Trace& trace,
                    const glassbox::Convention& convention);

}  // namespace tracer
