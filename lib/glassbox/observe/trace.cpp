#include <glassbox/observe/trace.h>

#include <glassbox/observe/listening.h>
#include <glassbox/observe/scope.h>
#include <glassbox/observe/tape.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

Trace*& listening_trace() {
    static thread_local Trace* trace = nullptr;
    return trace;
}

Trace::Trace() : outer_(listening_trace()) { listening_trace() = this; }

// Mostly the innermost goes first; one that outlives a younger one leaves the chain all the same.
Trace::~Trace() {
    Trace** link = &listening_trace();
    while (*link && *link != this) link = &(*link)->outer_;
    if (*link) *link = outer_;
}

Trace* Trace::current() { return listening_trace(); }

const Trace::Step* Trace::find(std::string_view path) const {
    const auto found = step_at_.find(std::string(path));
    return found == step_at_.end() ? nullptr : &steps_[found->second];
}

const Tensor& Trace::operator[](std::string_view path) const {
    if (const Step* step = find(path)) return step->value;
    std::vector<std::string_view> names;
    for (const Step& step : steps_) names.push_back(step.path);
    fail("trace: no step '{}'; the steps are: {}", path, fmt::join(names, ", "));
}

const Trace::Operation* Trace::operation_of(const Tensor& value) const {
    const auto found = operations_.find(value.id());
    return found == operations_.end() ? nullptr : &found->second;
}

const Trace::Step* Trace::step_of(const Tensor& value) const {
    const auto found = step_of_.find(value.id());
    return found == step_of_.end() ? nullptr : &steps_[found->second];
}

void Trace::replace(std::string path, Tensor value) { replacements_[std::move(path)] = std::move(value); }

// Self-attention names one x as Q, as K and as V: each name gets a value, and so a gradient, of its own.
Tensor Trace::as_a_step_of_its_own(const Tensor& value) {
    const bool is_input = !operation_of(value), is_named = step_of(value);
    if (!is_input && !is_named) return value;
    Tensor own = value.alias(value.shape(), value.strides());
    if (Tape* tape = Tape::current())
        tape->record(own, {value.id()}, [](const Tensor& dy) -> Tape::Gradients { return {dy}; });
    add_operation({"reshape", own, {value}});
    return own;
}

Tensor Trace::add_step(std::string_view name, Tensor value) {
    std::string path = Scope::path() + std::string(name);
    for (int count = 2; step_at_.count(path); ++count)
        path = fmt::format("{}{}#{}", Scope::path(), name, count);
    if (const auto found = replacements_.find(path); found != replacements_.end()) {
        if (found->second.shape() != value.shape())
            fail("trace: step '{}' has shape {}, its replacement {}", path, value.shape(),
                 found->second.shape());
        value = found->second.to(value.device());
    }
    value = as_a_step_of_its_own(value);
    step_at_[path] = steps_.size();
    step_of_.emplace(value.id(), steps_.size());
    steps_.push_back({std::move(path), value});
    if (Tape* tape = Tape::current()) tape->keep(value);
    return value;
}

void Trace::add_operation(Operation operation) {
    const Tensor::Id id = operation.output.id();
    operations_.insert_or_assign(id, std::move(operation));
}

}  // namespace glassbox
