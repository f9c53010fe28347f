#include <glassbox/observe/trace.h>

#include <functional>

#include <glassbox/observe/listening.h>
#include <glassbox/observe/scope.h>
#include <glassbox/observe/tape.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

Trace*& listening_trace() {
    static thread_local Trace* trace = nullptr;
    return trace;
}

Trace::Trace() : outer_(listening_trace()), first_(Tensor::latest_id() + 1), places_(128) {
    listening_trace() = this;
}

// Mostly the innermost goes first; one that outlives a younger one leaves the chain all the same.
Trace::~Trace() {
    Trace** link = &listening_trace();
    while (*link && *link != this) link = &(*link)->outer_;
    if (*link) *link = outer_;
}

// Where the step of this path is noted, or would be: at its hash, or the next place that is free.
std::uint32_t& Trace::place(std::string_view path) {
    std::size_t i = std::hash<std::string_view>()(path);
    while (true) {
        std::uint32_t& step = places_[i++ & (places_.size() - 1)];
        if (step == 0 || steps_[step - 1].path == path) return step;
    }
}

const Trace::Step* Trace::find(std::string_view path) const {
    const std::uint32_t step = const_cast<Trace*>(this)->place(path);
    return step ? &steps_[step - 1] : nullptr;
}

index_t Trace::position_of(std::string_view path) const {
    return static_cast<index_t>(const_cast<Trace*>(this)->place(path)) - 1;
}

const Tensor& Trace::operator[](std::string_view path) const {
    if (const Step* step = find(path)) return step->value;
    std::vector<std::string_view> names;
    for (const Step& step : steps_) names.push_back(step.path);
    fail("trace: no step '{}'; the steps are: {}", path, fmt::join(names, ", "));
}

Trace::Known& Trace::known(const Tensor& value) {
    const Tensor::Id id = value.id();
    if (id < first_ || id > Tensor::latest_id()) return outside_[id];
    if (id - first_ >= known_.size()) known_.resize(2 * (id - first_) + 256);
    return known_[id - first_];
}

Trace::Known Trace::find(const Tensor& value) const {
    const Tensor::Id id = value.id();
    if (id >= first_ && id - first_ < known_.size()) return known_[id - first_];
    const auto found = outside_.find(id);
    return found == outside_.end() ? Known() : found->second;
}

const Trace::Operation* Trace::operation_of(const Tensor& value) const {
    const std::uint32_t operation = find(value).operation;
    return operation ? &operations_[operation - 1] : nullptr;
}

const Trace::Step* Trace::step_of(const Tensor& value) const {
    const std::uint32_t step = find(value).step;
    return step ? &steps_[step - 1] : nullptr;
}

void Trace::replace(std::string path, Tensor value) { replacements_[std::move(path)] = std::move(value); }

// Self-attention names one x as Q, as K and as V: each name gets a value, and so a gradient, of its own.
Tensor Trace::as_a_step_of_its_own(const Tensor& value) {
    const auto [operation, step] = find(value);
    const bool is_input = operation == 0, is_named = step != 0;
    if (!is_input && !is_named) return value;
    Tensor own = value.alias(value.shape(), value.strides());
    if (Tape* tape = Tape::current())
        tape->record(own, {value.id()}, [](const Tensor& dy) -> Tape::Gradients { return {dy}; });
    add_operation({"reshape", own, {value}});
    return own;
}

Tensor Trace::add_step(std::string_view name, Tensor value) {
    std::string path;
    path.reserve(Scope::path().size() + name.size());
    path.append(Scope::path()).append(name);
    for (int count = 2; place(path); ++count) path = fmt::format("{}{}#{}", Scope::path(), name, count);
    if (const auto found = replacements_.find(path); found != replacements_.end()) {
        if (found->second.shape() != value.shape())
            fail("trace: step '{}' has shape {}, its replacement {}", path, value.shape(),
                 found->second.shape());
        value = found->second.to(value.device());
    }
    value = as_a_step_of_its_own(value);
    note(std::move(path), value);
    if (Tape* tape = Tape::current()) tape->keep(value);
    return value;
}

void Trace::note(std::string path, const Tensor& value) {
    steps_.push_back({std::move(path), value});
    const auto count = static_cast<std::uint32_t>(steps_.size());
    known(value).step = count;
    if (2 * count < places_.size()) {
        place(steps_.back().path) = count;
    } else {  // half full: a larger table finds faster
        places_.assign(2 * places_.size(), 0);
        for (std::uint32_t step = 1; step <= count; ++step) place(steps_[step - 1].path) = step;
    }
}

void Trace::add_operation(Operation operation) {
    operations_.push_back(std::move(operation));
    known(operations_.back().output).operation = static_cast<std::uint32_t>(operations_.size());
}

}  // namespace glassbox
