#include <glassbox/mistakes/mistake_scope.h>

#include <cctype>
#include <charconv>

#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

bool is_within(std::string_view path, std::string_view place) {
    while (!place.empty() && place.back() == '/') place.remove_suffix(1);
    if (place.empty()) return true;
    for (std::size_t at = path.find(place); at != path.npos; at = path.find(place, at + 1)) {
        const std::size_t end = at + place.size();
        if ((at == 0 || path[at - 1] == '/') && (end == path.size() || path[end] == '/')) return true;
    }
    return false;
}

namespace {

// Counted from the front; −1 if not found.
int axis_of(const StepPart& part, int rank) {
    if (part.axis == StepPart::Axis::entry) return rank > 2 ? 0 : -1;
    return rank - 1 - (static_cast<int>(StepPart::Axis::column) - static_cast<int>(part.axis));
}

// `made`, with the part from `wrong`; undefined where there is no such part, or nothing else.
Tensor joined(const Tensor& made, const Tensor& wrong, const StepPart& part) {
    const int axis = axis_of(part, made.rank());
    if (axis < 0 || wrong.shape() != made.shape()) return {};
    const index_t size = made.size(axis), end = std::min(part.end, size);
    if (part.begin >= size || (part.begin == 0 && end == size)) return {};
    std::vector<Tensor> parts;
    if (part.begin > 0) parts.push_back(slice(made, axis, 0, part.begin));
    parts.push_back(slice(wrong, axis, part.begin, end));
    if (end < size) parts.push_back(slice(made, axis, end, size));
    return concat(parts, axis);
}

// The step as this mistake makes it, of what it or another has made; undefined if it is not made here.
Tensor mistaken(const PlacedMistake& placed, const Frame& frame, const StepInfo& step, const Tensor& made,
                const Tensor& so_far) {
    // A second name of a tensor, such as the x of the next block, is not what the op computed.
    const bool is_second_name = frame.trace().step_of(made) != nullptr;
    const Operation* operation = is_second_name ? nullptr : frame.trace().operation_of(made);
    for (const Mistake::Line& line : placed.mistake->lines) {
        if (!line.at.is(step, operation) || !is_within(frame.path(), placed.place)) continue;
        try {
            const Tensor& from = placed.mistake->is_of_made ? so_far : made;
            const Tensor wrong = line.value(frame, from);
            return wrong.defined() && placed.part ? joined(from, wrong, *placed.part) : wrong;
        } catch (const Error&) {  // shapes unfit for the mistake: it cannot be made here
            return {};
        }
    }
    return {};
}

}  // namespace

struct AxisWords {
    StepPart::Axis axis;
    std::string_view one, many;
};
constexpr AxisWords axis_words[] = {{StepPart::Axis::entry, "entry", "entries"},
                                    {StepPart::Axis::head, "head", "heads"},
                                    {StepPart::Axis::row, "row", "rows"},
                                    {StepPart::Axis::column, "column", "columns"}};

std::string StepPart::name() const {
    const AxisWords& words = axis_words[static_cast<std::size_t>(axis)];
    return end == begin + 1 ? fmt::format("in {} {}", words.one, begin)
                            : fmt::format("in {} {}-{}", words.many, begin, end - 1);
}

std::string PlacedMistake::name() const {
    return (place.empty() ? "" : place + ": ") + mistake->key + (part ? " " + part->name() : "");
}

Trace::Hook hook_of(std::vector<PlacedMistake> mistakes, std::vector<int>* acted) {
    if (acted) acted->assign(mistakes.size(), 0);
    return [mistakes = std::move(mistakes), acted](const Frame& frame, const StepInfo& step,
                                                   const Tensor& made) {
        Tensor value = made;
        for (std::size_t i = 0; i < mistakes.size(); ++i) {
            const Tensor wrong = mistaken(mistakes[i], frame, step, made, value);
            if (!wrong.defined()) continue;
            value = wrong;
            if (acted) ++(*acted)[i];
        }
        return value;
    };
}

namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
    return text;
}

// The number at the front of `text`, which is removed; −1 without one.
index_t number_from(std::string_view& text) {
    index_t i = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), i);
    if (error != std::errc()) return -1;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return i;
}

// "head 1", "rows 0-2": counted from 0.
StepPart part_of(std::string_view text) {
    for (const auto& [axis, one, many] : axis_words)
        for (const std::string_view word : {one, many}) {
            if (!text.starts_with(std::string(word) + " ")) continue;
            std::string_view rest = text.substr(word.size() + 1);
            const index_t first = number_from(rest);
            const bool is_range = first >= 0 && rest.starts_with('-');
            if (is_range) rest.remove_prefix(1);
            const index_t last = is_range ? number_from(rest) : first;
            if (first >= 0 && last >= first && rest.empty()) return {axis, first, last + 1};
        }
    fail<UsageError>("expected 'in head 1', 'in rows 0-2', 'in entry 0' or 'in column 3', got 'in {}'", text);
}

}  // namespace

PlacedMistake parse_mistake(std::string_view text) {
    PlacedMistake placed{};
    std::string_view rest = trimmed(text);
    if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
        placed.place = trimmed(rest.substr(0, colon));
        rest = trimmed(rest.substr(colon + 1));
    }
    if (const std::size_t in = rest.find(" in "); in != std::string_view::npos) {
        placed.part = part_of(trimmed(rest.substr(in + 4)));
        rest = trimmed(rest.substr(0, in));
    }
    placed.mistake = &mistake(rest);
    return placed;
}

MistakeScope::MistakeScope(std::vector<PlacedMistake> mistakes)
    : own_(Trace::current() ? nullptr : std::make_unique<Trace>()), trace_(Trace::current()) {
    trace_->set_hook(hook_of(std::move(mistakes)));
}

MistakeScope::~MistakeScope() { trace_->set_hook({}); }

}  // namespace glassbox
