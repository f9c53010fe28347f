#include "explain.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <set>
#include <string_view>

#include <glassbox/tensor/format.h>

#include "nearest.h"
#include "number.h"
#include "options.h"
#include "place.h"

namespace tracer {
namespace {

using glassbox::fail;

// "0, 1" → {0, 1}
std::vector<index_t> place_in(const std::string& target, const std::string& place,
                              const std::string& option) {
    std::vector<index_t> at;
    if (place.empty()) return at;
    for (const std::string& word : comma_list(place)) {
        const std::size_t begin = std::min(word.find_first_not_of(' '), word.size());
        const char* const end = word.data() + word.find_last_not_of(' ') + 1;
        index_t i = 0;
        const auto [after, error] =
            std::from_chars(word.data() + begin, std::max(end, word.data() + begin), i);
        if (error != std::errc{} || after != end)
            fail<glassbox::UsageError>("{}: whole numbers expected in '{}', got '{}'", option, target, word);
        at.push_back(i);
    }
    return at;
}

}  // namespace

Explainer::Explainer(const Trace& trace, int precision) : trace_(trace), precision_(precision) {}

Element Explainer::parse(const std::string& target, const std::string& option) const {
    const std::size_t open = target.find('[');
    if (open == std::string::npos || target.back() != ']')
        fail<glassbox::UsageError>("{}: a step and a place expected, such as 'values[0,1]', got '{}'", option,
                                   target);
    const std::string path = target.substr(0, open);
    if (!trace_.contains(path)) {
        std::vector<std::string> names;
        for (const auto& step : trace_.steps()) names.push_back(step.path);
        fail<glassbox::UsageError>("{}: no step '{}'; the steps are {}{}", option, path,
                                   fmt::join(names, ", "), did_you_mean(path, names));
    }
    const Tensor& tensor = trace_[path];
    std::vector<index_t> at = place_in(target, target.substr(open + 1, target.size() - open - 2), option);
    if (static_cast<int>(at.size()) != tensor.rank())
        fail<glassbox::UsageError>("{}: {} has shape {}: {} indices expected, got {}", option, path,
                                   tensor.shape(), tensor.rank(), at.size());
    for (int axis = 0; axis < tensor.rank(); ++axis) {
        index_t& i = at[static_cast<std::size_t>(axis)];
        if (i < 0) i += tensor.size(axis);  // from the end, as in Python
        if (i < 0 || i >= tensor.size(axis))
            fail<glassbox::UsageError>("{}: {} lies outside {}, whose shape is {}", option, target, path,
                                       tensor.shape());
    }
    return {tensor, at};
}

bool Explainer::is_named(const Tensor& tensor) const { return trace_.step_of(tensor) != nullptr; }

Element Explainer::resolve(Element element) const {
    while (!is_named(element.tensor)) {
        const Trace::Operation* op = trace_.operation_of(element.tensor);
        if (!op) break;
        const std::string_view name = op->op;
        const Tensor& x = op->inputs[0];
        if (name == "permute" || name == "slice") element = by_address(element, x);
        else if (name == "reshape")
            element = {x, place_of(x.shape(), linear_of(element.tensor.shape(), element.at))};
        else if (name == "contiguous") element = {x, element.at};
        else if (name == "broadcast_to") element = broadcast_from(element.at, x);
        else if (name == "concat") element = part_of_concat(element, *op);
        else break;
    }
    return element;
}

std::string Explainer::name_of(const Tensor& tensor) const {
    if (const auto* step = trace_.step_of(tensor)) return step->path;
    if (const auto* op = trace_.operation_of(tensor)) return op->op;
    return "input";
}

std::string Explainer::label(const Element& element) const {
    if (element.tensor.rank() == 0 && !is_named(element.tensor) && !trace_.operation_of(element.tensor))
        return root_or_number(element.value(), precision_);
    const std::string name = name_of(element.tensor);
    return element.at.empty() ? name : name + shown_place(element.at);
}

std::string Explainer::text(const Element& target, int depth) const {
    struct Pending {
        Element element;
        int depth;
    };
    std::deque<Pending> queue{{target, 0}};
    std::set<std::string> seen{label(target)};
    std::string out;
    while (!queue.empty()) {
        const auto [element, level] = queue.front();
        queue.pop_front();
        const Arithmetic steps = arithmetic(element);
        const std::string name = label(element), value = number(element.value(), precision_);
        if (steps.symbols.empty()) {
            if (level == 0) out += fmt::format("{} = {}, an input\n", name, value);
            continue;
        }
        if (!out.empty()) out += "\n";
        out += fmt::format("{} = {}\n", name, steps.symbols);
        const std::string hang(name.size(), ' ');
        for (const std::string& line : steps.lines) out += fmt::format("{} = {}\n", hang, line);
        const bool is_said = steps.lines.empty() ? steps.parts.empty() : steps.lines.back() == value;
        if (!is_said) out += fmt::format("{} = {}\n", hang, value);
        if (depth >= 0 && level + 1 >= depth) continue;
        for (const Element& part : steps.parts)
            if (seen.insert(label(part)).second) queue.push_back({part, level + 1});
    }
    return out;
}

}  // namespace tracer
