#include "worksheet/blanks.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/print.h>

#include "explain/explainer.h"
#include "explain/tensor_element.h"
#include "subject/model_report.h"

namespace glassbox::tracer {

Blanks OptionValue<Blanks>::parse(const Typed& typed) {
    Blanks blanks;
    std::string place;  // a place that is not closed yet: its commas separate indices
    for (const std::string& part : comma_list(typed.text)) {
        place += (place.empty() ? "" : ",") + part;
        if (place.find('[') != place.npos && place.find(']') == place.npos) continue;
        if (place.empty()) fail<UsageError>("{}: an empty name in '{}'", typed.option, typed.text);
        blanks.wanted.push_back(std::move(place));
        place.clear();
    }
    if (!place.empty()) fail<UsageError>("{}: a bracket is not closed in '{}'", typed.option, place);
    return blanks;
}

std::string OptionValue<Blanks>::text(const Blanks& blanks) {
    return fmt::format("{}", fmt::join(blanks.wanted, ","));
}

namespace {

// Why a step's numbers cannot be left blank; empty if they can.
std::string not_computable(const Trace& trace, const Trace::Step& step) {
    if (formula_of(trace, step).empty()) return "an input, and is given";
    const Operation* made = trace.operation_of(step.made);
    if (made && std::string_view(made->op) == "dropout") return "drawn at random, and cannot be computed";
    if (step.value.numel() == 0) return "empty";
    return "";
}

}  // namespace

namespace {

// Where the step's i-th number comes from, if it is another step's, moved.
std::optional<Element> moved_from(const Trace& trace, const Labels& labels, const Trace::Step& step,
                                  index_t i) {
    const Operation* made = trace.operation_of(step.made);
    if (!made) return std::nullopt;
    const auto below = below_view({step.made, place_of(step.made.shape(), i)}, *made);
    if (!below) return std::nullopt;
    const Element from = labels.resolve(*below);
    return trace.step_of(from.tensor) ? std::optional(from) : std::nullopt;
}

bool is_copy(const Trace& trace, const Labels& labels, const Trace::Step& step) {
    for (index_t i = 0; i < step.made.numel(); ++i)
        if (!moved_from(trace, labels, step, i)) return false;
    return true;
}

}  // namespace

Places with_copies(Places blanks, const Trace& trace) {
    const Labels labels(trace, 8, {});
    for (const Trace::Step& step : trace.steps())
        for (index_t i = 0; i < step.made.numel(); ++i) {
            const auto from = moved_from(trace, labels, step, i);
            if (!from) break;
            const auto found = blanks.find(trace.step_of(from->tensor)->path);
            if (found == blanks.end()) continue;
            if (!found->second[static_cast<std::size_t>(linear_of(from->tensor.shape(), from->at))]) continue;
            std::vector<bool>& own = blanks[step.path];
            own.resize(static_cast<std::size_t>(step.made.numel()));
            own[static_cast<std::size_t>(i)] = true;
        }
    return blanks;
}

Places blank_places(const Blanks& blanks, const Trace& trace) {
    Places places;
    std::vector<std::string> paths, whole;
    for (const Trace::Step& step : trace.steps()) paths.push_back(step.path);
    // All but the scores that a mask hides: there is nothing to compute, -9e15 is filled in.
    const auto all_of = [&](const std::string& path) {
        std::vector<bool> all;
        for (const real value : trace[path].values()) all.push_back(!is_hidden_score(value));
        if (std::count(all.begin(), all.end(), true) == 0) all.assign(all.size(), true);
        return all;
    };
    const auto check_step = [&](const std::string& path, const std::string& name) {
        const auto& step = trace.steps()[static_cast<std::size_t>(trace.position_of(path))];
        if (const std::string why = not_computable(trace, step); !why.empty())
            fail<UsageError>("--blank {}: {} is {}", name, path, why);
    };
    for (const std::string& name : blanks.wanted) {
        const std::size_t open = name.find('[');
        if (open == name.npos) {
            whole.push_back(name);
            continue;
        }
        const std::string path = step_named(trace, name.substr(0, open), "--blank");
        const Element element = Explainer(trace, 8).parse(path + name.substr(open), "--blank");
        check_step(path, name);
        auto& of_step = places[path];
        of_step.resize(static_cast<std::size_t>(trace[path].numel()));
        of_step[static_cast<std::size_t>(linear_of(trace[path].shape(), element.at))] = true;
    }
    for (const std::string& name : whole)
        for (const std::string& path : steps_named("--blank", {name}, paths)) {
            check_step(path, name);
            places[path] = all_of(path);
        }
    if (!blanks.wanted.empty()) return places;
    const Labels labels(trace, 8, {});
    for (const Trace::Step& step : trace.steps())
        if (not_computable(trace, step).empty() && !is_copy(trace, labels, step))
            places[step.path] = all_of(step.path);
    if (places.empty()) fail<UsageError>("worksheet: no step here is computed from others");
    return places;
}

namespace {

// Those of about `n` numbers: rows from the last one up, of all matrices in turn; of a row that is longer
// than that some, evenly.
std::vector<bool> some_of(const std::vector<bool>& blank, const Shape& shape, index_t n) {
    const index_t columns = shape.rank() > 0 ? shape[-1] : 1, rows = shape.rank() > 1 ? shape[-2] : 1;
    const index_t matrices = shape.numel() / (rows * columns);
    std::vector<bool> some(blank.size());
    index_t left = n;
    for (index_t row = rows; row-- > 0;)
        for (index_t matrix = 0; matrix < matrices; ++matrix) {
            std::vector<std::size_t> places;
            for (index_t column = 0; column < columns; ++column)
                if (const auto i = static_cast<std::size_t>((matrix * rows + row) * columns + column);
                    blank[i])
                    places.push_back(i);
            const auto size = static_cast<index_t>(places.size());
            const bool fits = 2 * left >= size;  // half a row is rounded up
            if (left <= 0 || (!fits && left < n)) return some;
            const index_t taken = fits ? size : left;
            for (index_t k = 0; k < taken; ++k)
                some[places[static_cast<std::size_t>(k * size / taken)]] = true;
            left -= taken;
        }
    return some;
}

index_t count_of(const std::vector<bool>& places) { return std::count(places.begin(), places.end(), true); }

// Of each step at most so many that all together are about `wanted`, and one at least.
index_t share_of_each(const Places& blanks, index_t wanted) {
    const auto total = [&](index_t share) {
        index_t sum = 0;
        for (const auto& [path, places] : blanks) sum += std::min(share, count_of(places));
        return sum;
    };
    index_t share = 1;
    while (total(share + 1) <= wanted && total(share + 1) > total(share)) ++share;
    return share;
}

}  // namespace

void choose_some(Places& blanks, const Trace& trace, index_t wanted) {
    index_t all = 0;
    for (const auto& [path, places] : blanks) all += count_of(places);
    if (all <= wanted + wanted / 5) return;  // a few more are no trouble
    const index_t share = share_of_each(blanks, wanted);
    for (auto& [path, places] : blanks)
        if (count_of(places) > share) places = some_of(places, trace[path].shape(), share);
}

}  // namespace glassbox::tracer
