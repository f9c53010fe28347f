#include "explain/explainer.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <set>
#include <string_view>
#include <vector>

#include <glassbox/tensor/format.h>

#include "cli/nearest.h"
#include "cli/number.h"
#include "cli/options.h"
#include "explain/calculated.h"
#include "explain/tensor_element.h"

namespace glassbox::tracer {
namespace {

std::string listed(const std::vector<std::string>& names) {
    const std::size_t max_names = 24;
    if (names.size() <= max_names) return fmt::format("{}", fmt::join(names, ", "));
    return fmt::format("{}, … ({} in all)", fmt::join(names.begin(), names.begin() + max_names, ", "),
                       names.size());
}

// "0, 1" → {0, 1}
std::vector<index_t> parse_indices(const std::string& target, const std::string& place,
                                   const std::string& option) {
    std::vector<index_t> at;
    if (place.empty()) return at;
    for (const std::string& word : comma_list(place)) {
        const std::size_t begin = std::min(word.find_first_not_of(' '), word.size());
        const char* const end = word.data() + (word.find_last_not_of(' ') + 1);  // npos + 1 is 0
        index_t i = 0;
        const auto [after, error] =
            std::from_chars(word.data() + begin, std::max(end, word.data() + begin), i);
        if (error != std::errc{} || after != end)
            fail<UsageError>("{}: expected whole numbers in '{}', got '{}'", option, target, word);
        at.push_back(i);
    }
    return at;
}

}  // namespace

Explainer::Explainer(const Trace& trace, int precision, const NamedTensors& parameters)
    : labels_(trace, precision, parameters), named_parameters_(parameters) {}

std::string Explainer::worked(const Element& element) const {
    const Arithmetic arithmetic = arithmetic_of(element, labels_);
    if (arithmetic.symbols.empty()) return "";
    if (arithmetic.lines.empty()) return fmt::format("{} = {}", labels_.label(element), arithmetic.symbols);
    std::string result = labels_.digits(element);
    if (result.empty()) result = number(element.value(), labels_.precision());
    if (arithmetic.lines[0] == result)  // the number of another step as it is
        return fmt::format("{} = {} = {}", labels_.label(element), arithmetic.symbols, result);
    return with_honest_sign(fmt::format("{} = {} = {}", labels_.label(element), arithmetic.lines[0], result),
                            labels_.precision());
}

std::optional<std::set<std::string>> Explainer::steps_needed(const Element& element) const {
    std::set<std::string> needed;
    for (const Element& part : arithmetic_of(element, labels_).parts) {
        if (const auto* step = labels_.trace().step_of(part.tensor)) {
            needed.insert(step->path);
        } else if (const std::string input = labels_.input_step(part.tensor); !input.empty()) {
            needed.insert(input);
        } else if (!labels_.is_number(part)) {  // an unnamed value between steps
            if (!labels_.trace().operation_of(part.tensor)) return std::nullopt;
            const auto below = steps_needed(part);
            if (!below) return std::nullopt;
            needed.insert(below->begin(), below->end());
        }
    }
    return needed;
}

const Tensor* Explainer::find(const std::string& path) const {
    if (labels_.trace().contains(path)) return &labels_.trace()[path];
    for (const auto& [name, value] : named_parameters_)
        if (name == path) return &value;
    return nullptr;
}

Element Explainer::parse(const std::string& target, const std::string& option) const {
    const std::size_t open = target.find('[');
    if (const Tensor* scalar = find(target); scalar && scalar->rank() == 0) return {*scalar, {}};
    if (open == std::string::npos || target.back() != ']')
        fail<UsageError>("{}: expected a step and a position, such as 'values[0,1]', got '{}'", option,
                         target);
    const std::string name = target.substr(0, open);
    const std::string path = find(name) ? name : step_named(labels_.trace(), name, option);
    const Tensor& tensor = *find(path);
    std::vector<index_t> at =
        parse_indices(target, target.substr(open + 1, target.size() - open - 2), option);
    if (static_cast<int>(at.size()) != tensor.rank())
        fail<UsageError>("{}: {} has shape {}: expected {} indices, got {}", option, path, tensor.shape(),
                         tensor.rank(), at.size());
    for (int axis = 0; axis < tensor.rank(); ++axis) {
        index_t& i = at[static_cast<std::size_t>(axis)];
        if (i < 0) i += tensor.size(axis);  // from the end, as in Python
        if (i < 0 || i >= tensor.size(axis))
            fail<UsageError>("{}: {} is outside {}, which has shape {}", option, target, path,
                             tensor.shape());
    }
    return {tensor, at};
}

std::string Explainer::written(const Element& element, const Arithmetic& steps) const {
    const std::string name = labels_.label(element), value = number(element.value(), labels_.precision());
    const std::string indent(name.size(), ' ');
    std::string out = fmt::format("{} = {}\n", name, steps.symbols);
    for (const std::string& letter : steps.where) out += fmt::format("{}   {}\n", indent, letter);
    std::string_view before = "";
    const auto add = [&](std::string_view line) {
        out += fmt::format("{} {} {}\n", indent, honest_sign(before, line, value, labels_.precision()), line);
        before = line;
    };
    for (const std::string& line : steps.lines) add(line);
    const bool is_already_shown = steps.lines.empty() ? steps.parts.empty() : steps.lines.back() == value;
    if (!is_already_shown) add(value);
    return out;
}

std::string Explainer::shown(const Element& target, std::optional<int> depth) const {
    constexpr std::ptrdiff_t max_lines = 60;  // one or two screens
    if (depth) return text(target, *depth);
    std::string fits = text(target, 1);
    for (int deeper = 2;; ++deeper) {
        std::string more = text(target, deeper);
        if (more.size() == fits.size()) return fits;  // down to the inputs
        if (std::count(more.begin(), more.end(), '\n') > max_lines)
            return fits +
                   fmt::format("\n{} deep. --depth {} goes one deeper, --depth all down to the inputs.\n",
                               counted(deeper - 1, "operation"), deeper);
        fits = std::move(more);
    }
}

std::string Explainer::text(const Element& target, int depth) const {
    const Explainer near = within_scope_of(target);
    if (near.labels_.scope() != labels_.scope())
        return fmt::format("within {}\n\n", near.labels_.scope()) + near.text(target, depth);
    std::string out;
    for (const auto& [element, steps] : behind(target, depth)) {
        if (!steps.symbols.empty()) out += (out.empty() ? "" : "\n") + written(element, steps);
        else if (element.tensor.id() == target.tensor.id() && element.at == target.at)
            out += fmt::format("{} = {}, {}\n", labels_.label(element),
                               number(element.value(), labels_.precision()),
                               labels_.is_parameter(element.tensor) ? "a parameter" : "an input");
    }
    return out;
}

Explainer Explainer::within_scope_of(const Element& element) const {
    const auto* step = labels_.trace().step_of(element.tensor);
    const std::string scope = step ? step->path.substr(0, step->path.rfind('/') + 1) : labels_.scope();
    Explainer near = *this;
    if (scope != labels_.scope()) near.labels_ = labels_.within(scope);
    return near;
}

std::vector<Explainer::Behind> Explainer::behind(const Element& target, int depth) const {
    struct Pending {
        Element element;
        int depth;
    };
    const auto key = [](const Element& element) { return std::pair{element.tensor.id(), element.at}; };
    std::deque<Pending> queue{{target, 0}};
    std::set<std::pair<Tensor::Id, std::vector<index_t>>> seen{key(target)};
    std::vector<Behind> found;
    while (!queue.empty()) {
        const auto [element, level] = queue.front();
        queue.pop_front();
        found.push_back({element, arithmetic_of(element, labels_)});
        if (depth >= 0 && level + 1 >= depth) continue;
        for (const Element& part : found.back().arithmetic.parts)
            if (seen.insert(key(part)).second) queue.push_back({part, level + 1});
    }
    return found;
}

std::string step_named(const Trace& trace, const std::string& name, const std::string& option) {
    if (trace.contains(name)) return name;
    std::vector<std::string> paths, matches, known;
    for (const auto& step : trace.steps()) {
        paths.push_back(step.path);
        if (!name.empty() && step.path.ends_with("/" + name)) matches.push_back(step.path);
    }
    if (matches.size() == 1) return matches[0];
    if (matches.size() > 1)
        fail<UsageError>("{}: several steps end in '{}': {}", option, name, listed(matches));
    known = paths;
    for (const std::string& path : paths) known.push_back(path.substr(path.rfind('/') + 1));
    fail<UsageError>("{}: no step '{}'; the steps are {}{}", option, name, listed(paths),
                     did_you_mean(name, known));
}

}  // namespace glassbox::tracer
