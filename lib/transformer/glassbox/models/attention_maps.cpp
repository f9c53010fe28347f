#include <glassbox/models/stack.h>

#include <glassbox/observe/trace.h>

namespace glassbox {

std::vector<AttentionMap> attention_maps(const std::function<void()>& model) {
    Trace trace;
    model();
    const std::string_view last = "/attention";
    std::vector<AttentionMap> maps;
    for (const Trace::Step& step : trace.steps())
        if (step.path.ends_with(last))
            maps.push_back({step.path.substr(0, step.path.size() - last.size()), step.value});
    return maps;
}

}  // namespace glassbox
