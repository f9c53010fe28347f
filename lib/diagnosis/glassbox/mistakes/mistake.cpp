#include <glassbox/mistakes/mistake.h>

#include <algorithm>
#include <deque>
#include <mutex>

#include <glassbox/tensor/format.h>

namespace glassbox {

namespace catalogue {
std::vector<std::vector<Mistake>> every_layers();  // generated: one entry for each file of catalogue/
}

bool WrongAt::is(const StepInfo& step, const Operation* operation) const {
    if (steps.empty()) return operation && operation->op == std::string_view(name);
    return std::find(steps.begin(), steps.end(), &step) != steps.end();
}

namespace {

// Of steps in several layers, their common name.
std::string layer_of(const WrongAt& at) {
    for (const StepInfo* step : at.steps)
        if (std::string_view(step->layer) != at.steps.front()->layer) return at.name;
    return at.steps.empty() ? at.name : at.steps.front()->layer;
}

}  // namespace

Mistake::Mistake(WrongAt at, std::string_view name, std::string what_formula, std::string what_sentence,
                 WrongValue value)
    : key(at.name + "/" + std::string(name)),
      layer(layer_of(at)),
      formula(std::move(what_formula)),
      sentence(std::move(what_sentence)) {
    lines.push_back({std::move(at), std::move(value)});
}

Mistake&& Mistake::and_at(WrongAt at, WrongValue value) && {
    lines.push_back({std::move(at), std::move(value)});
    return std::move(*this);
}

Mistake&& Mistake::known_by(ShownBy rule) && {
    shown_by = std::move(rule);
    return std::move(*this);
}

Mistake&& Mistake::seen(std::string address) && {
    source = std::move(address);
    return std::move(*this);
}

Mistake&& Mistake::by_overflow() && {
    is_overflow = true;
    return std::move(*this);
}

Mistake&& Mistake::of_made() && {
    is_of_made = true;
    return std::move(*this);
}

Mistake&& Mistake::in_class(std::string name) && {
    effect = std::move(name);
    return std::move(*this);
}

Mistake&& Mistake::by_last_line() && {
    is_of_last_line = true;
    return std::move(*this);
}

Mistake&& Mistake::as_choice() && {
    kind = MistakeKind::choice;
    return std::move(*this);
}

const std::vector<Mistake>& all_mistakes() {
    static const std::vector<Mistake> all = [] {
        std::vector<Mistake> joined;
        for (std::vector<Mistake>& layer : catalogue::every_layers())
            for (Mistake& each : layer) joined.push_back(std::move(each));
        return joined;
    }();
    return all;
}

const Mistake& mistake(std::string_view key) {
    const auto& all = all_mistakes();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Mistake& m) { return m.key == key; });
    if (found == all.end()) fail<UsageError>("there is no mistake '{}'; tracer mistakes lists them", key);
    return *found;
}

const Mistake& kept_mistake(const Mistake& mistake) {
    static std::mutex mutex;
    static std::deque<Mistake> all;
    const std::lock_guard lock(mutex);
    return all.emplace_back(mistake);
}

bool is_change(std::string_view key) { return key.ends_with("/changed"); }

}  // namespace glassbox
