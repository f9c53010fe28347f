#include "subject/axis_words.h"

#include <algorithm>

namespace glassbox::tracer {
namespace {

// The sentence of a step's positions; none for numbers of --memory.
enum class SentenceSide { source, target, none };

// Whether the keys are another sequence: of a block's cross-attention, or of an attention layer by itself.
bool crosses(const std::string& path, const ModelInput& input) {
    const bool is_alone = path.find('/') == std::string::npos && input.has("memory");
    return is_alone || path.find("cross_attn/") != std::string::npos;
}

SentenceSide other_side(const ModelInput& input) {
    return input.has("memory") ? SentenceSide::none : SentenceSide::source;
}

// The sentence whose positions a step has as queries or rows.
SentenceSide rows_of(const std::string& path, const ModelInput& input) {
    const std::string name = last_part(path);
    const bool encodes = path.starts_with("encoder/") || path.starts_with("source/");
    const bool is_read =
        crosses(path, input) && (name == "K" || name == "V" || name == "kv" || name == "memory");
    if (is_read) return other_side(input);
    return encodes ? SentenceSide::source : SentenceSide::target;
}

SentenceSide keys_of(const std::string& path, const ModelInput& input) {
    if (crosses(path, input)) return other_side(input);
    return path.starts_with("decoder/") ? SentenceSide::target : SentenceSide::source;
}

// Empty without a sentence.
const std::vector<std::string>& words_of(SentenceSide side, const ModelInput& input) {
    static const std::vector<std::string> none;
    if (side == SentenceSide::none) return none;
    return side == SentenceSide::target && !input.target_words.empty() ? input.target_words : input.words;
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

Report::Axis axis(const std::string& name, index_t size, SentenceSide side, const ModelInput& input) {
    const std::vector<std::string>& words = words_of(side, input);
    return {name, static_cast<index_t>(words.size()) == size ? words : std::vector<std::string>()};
}

// The last axis: words where there is a score or a weight for each word of a vocabulary.
Report::Axis classes_of(const Report::Step& step, const ModelInput& input) {
    const Vocabulary& vocabulary = input.target_words.empty() ? input.vocabulary : input.target_vocabulary;
    const bool ends = step.path == "logits" || step.path == "softmax";
    if (ends && static_cast<index_t>(input.classes.size()) == step.value.size(-1))
        return {"class", input.classes};
    if (!ends || input.words.empty() || vocabulary.size() != step.value.size(-1)) return {"feature", {}};
    Report::Axis axis{"token", {}};
    for (index_t id = 0; id < vocabulary.size(); ++id) axis.words.push_back(vocabulary.word(id));
    return axis;
}

// A step of a mask by itself, without scores.
bool is_mask_alone(const std::string& path, const Trace& trace) {
    const Trace::Step* step = trace.step_of(trace[path]);
    return step && step->info && std::string_view(step->info->layer) == steps::mask::layer;
}

// Whether the rows are positions of something: the parameters of an update have none.
bool has_positions(const ModelInput& input) {
    constexpr const char* all[] = {"x", "source", "target", "memory", "time", "Q", "logits", "tokens"};
    return std::any_of(std::begin(all), std::end(all), [&](const char* name) { return input.has(name); });
}

}  // namespace

bool is_in_attention(const std::string& path, const Trace& trace) {
    return trace.contains(path.substr(0, path.rfind('/') + 1) + "attention");
}

bool is_score(const std::string& path, const Trace& trace) {
    constexpr const char* scores[] = {"logits", "scaled", "masked", "attention"};
    const bool is_named =
        std::find(std::begin(scores), std::end(scores), last_part(path)) != std::end(scores);
    return is_named && is_in_attention(path, trace);
}

const std::vector<std::string>& query_words(const std::string& attention, const ModelInput& input) {
    return words_of(rows_of(attention, input), input);
}

const std::vector<std::string>& key_words(const std::string& attention, const ModelInput& input) {
    return words_of(keys_of(attention, input), input);
}

std::vector<Report::Axis> axes_of(const Report::Step& step, const Trace& trace, const ModelInput& input) {
    const int rank = step.value.rank();
    if (rank < 2 || step.kind == Report::Kind::word) return {};
    if (is_mask_alone(step.path, trace)) {
        std::vector<Report::Axis> axes(static_cast<std::size_t>(rank) - 2);
        if (!axes.empty()) axes.front().name = "batch";
        axes.push_back({"query", {}});
        axes.push_back({"key", {}});
        return axes;
    }
    if (!has_positions(input)) return {};
    std::vector<Report::Axis> axes = leading_axes(step.path, rank, trace);
    const bool scores = is_score(step.path, trace);
    if (!scores && classes_of(step, input).name == "class" &&
        step.value.size(-2) > 1) {  // answers, by their places
        axes.push_back({"place", {}});
        axes.push_back(classes_of(step, input));
        return axes;
    }
    axes.push_back(
        axis(scores ? "query" : "position", step.value.size(-2), rows_of(step.path, input), input));
    if (scores) axes.push_back(axis("key", step.value.size(-1), keys_of(step.path, input), input));
    else axes.push_back(classes_of(step, input));
    return axes;
}

}  // namespace glassbox::tracer
