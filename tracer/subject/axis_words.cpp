#include "subject/axis_words.h"

#include <algorithm>

namespace tracer {
namespace {

enum class Side { source, target };

// Of an attention layer: a model's last step is called logits, too.
bool is_score(const std::string& path, const Trace& trace) {
    constexpr const char* scores[] = {"logits", "scaled", "masked", "attention"};
    const bool is_named =
        std::find(std::begin(scores), std::end(scores), last_part(path)) != std::end(scores);
    return is_named && trace.contains(path.substr(0, path.rfind('/') + 1) + "attention");
}

// The sentence whose positions a step has as queries or rows.
Side rows_of(const std::string& path, const std::string& name) {
    const bool encodes = path.starts_with("encoder/") || path.starts_with("source/");
    const bool is_read = path.find("cross_attn/") != std::string::npos &&
                         (name == "K" || name == "V" || name == "kv" || name == "memory");
    return encodes || is_read ? Side::source : Side::target;
}

Side keys_of(const std::string& path) {
    const bool crosses = path.find("cross_attn/") != std::string::npos;
    return path.starts_with("decoder/") && !crosses ? Side::target : Side::source;
}

// A head axis is what a step has more than its layer's input.
std::vector<Report::Axis> leading_axes(const std::string& path, int rank, const Trace& trace) {
    const std::string x = path.substr(0, path.rfind('/') + 1) + "x";
    const bool has_heads = trace.contains(x) ? trace[x].rank() < rank : rank > 3;
    std::vector<Report::Axis> axes(static_cast<std::size_t>(rank) - 2);
    if (!axes.empty()) axes.front().name = "batch";
    if (!axes.empty() && has_heads) axes.back().name = "head";
    return axes;
}

Report::Axis axis(const std::string& name, index_t size, Side side, const ModelInput& input) {
    const bool is_target = side == Side::target && !input.target_words.empty();
    const std::vector<std::string>& words = is_target ? input.target_words : input.words;
    return {name, static_cast<index_t>(words.size()) == size ? words : std::vector<std::string>()};
}

// The last axis: words where there is a score or a weight for each word of a vocabulary.
Report::Axis classes_of(const Report::Step& step, const ModelInput& input) {
    const glassbox::Vocabulary& vocabulary =
        input.target_words.empty() ? input.vocabulary : input.target_vocabulary;
    const bool ends = step.path == "logits" || step.path == "softmax";
    if (!ends || input.words.empty() || vocabulary.size() != step.value.size(-1)) return {"feature", {}};
    Report::Axis axis{"token", {}};
    for (index_t id = 0; id < vocabulary.size(); ++id) axis.words.push_back(vocabulary.word(id));
    return axis;
}

}  // namespace

std::vector<Report::Axis> axes_of(const Report::Step& step, const Trace& trace, const ModelInput& input) {
    const int rank = step.value.rank();
    if (rank < 2 || step.kind == Report::Kind::word) return {};
    const std::string name = last_part(step.path);
    std::vector<Report::Axis> axes = leading_axes(step.path, rank, trace);
    const bool scores = is_score(step.path, trace);
    axes.push_back(axis(scores ? "query" : "position", step.value.size(-2), rows_of(step.path, name), input));
    if (scores) axes.push_back(axis("key", step.value.size(-1), keys_of(step.path), input));
    else axes.push_back(classes_of(step, input));
    return axes;
}

}  // namespace tracer
