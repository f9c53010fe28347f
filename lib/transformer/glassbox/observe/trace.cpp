#include <glassbox/observe/trace.h>

#include <algorithm>
#include <exception>
#include <functional>

#include <glassbox/observe/detail/listening.h>
#include <glassbox/observe/tape.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

Trace*& detail::listening_trace() {
    static thread_local Trace* trace = nullptr;
    return trace;
}

Trace::Trace() : outer_(listening_trace()), first_(Tensor::latest_id() + 1), hash_table_(128) {
    listening_trace() = this;
}

// Usually this is the innermost trace. One destroyed out of order is unlinked from the middle of the chain.
Trace::~Trace() {
    Trace** link = &listening_trace();
    while (*link && *link != this) link = &(*link)->outer_;
    if (*link) *link = outer_;
    if (replacements_.empty() || std::uncaught_exceptions() > 0) return;
    try {
        if (const std::string missing = unused_replacement(); !missing.empty())
            fmt::print(stderr, "glassbox: {}\n", missing);
    } catch (const std::exception&) {  // no memory for the message, or nowhere to print it
    }
}

// A message about a replace() that no step has matched, or empty.
std::string Trace::unused_replacement() const {
    for (const auto& [path, replacement] : replacements_) {
        if (replacement.used && is_passed_by(replacement))
            return fmt::format(
                "trace: replace: step '{0}' has no effect: the computation goes on with the tensor that was "
                "given to named(), not with what named() returns (Tensor a = named(\"{0}\", …), then a)",
                path);
        if (!replacement.used)
            return fmt::format("trace: replace: there was no step '{}'; the steps are: {}", path,
                               fmt::join(paths(), ", "));
    }
    return {};
}

// Whether later operations read the computed value, or a view of it, and none reads its replacement.
bool Trace::is_passed_by(const Replacement& replacement) const {
    if (replacement.step >= steps_.size()) return false;  // of another shape, it did not become one
    const Step& step = steps_[replacement.step];
    std::vector<Tensor::Id> made = {step.made.id()};  // and its views
    bool is_read = false;
    for (std::size_t i = 0; i < operations_.size(); ++i)
        for (const Tensor& input : operations_[i].inputs) {
            const bool is_later = i >= replacement.operations;
            if (is_later && input.id() == step.value.id()) return false;
            if (std::find(made.begin(), made.end(), input.id()) == made.end()) continue;
            is_read |= is_later;
            if (operations_[i].output.shares_storage_with(step.made))
                made.push_back(operations_[i].output.id());
        }
    return is_read;
}

void Trace::check_replaced() const {
    if (replacements_.empty() || steps_.empty() || in_hook_) return;  // in a hook the pass is not complete
    if (const std::string missing = unused_replacement(); !missing.empty()) throw Error(missing);
}

std::vector<std::string_view> Trace::paths() const {
    write_paths();
    std::vector<std::string_view> paths;
    for (const Step& step : steps_) paths.push_back(step.path);
    return paths;
}

// The hash table entry of this path, or the empty entry where it belongs (open addressing, linear probing).
std::uint32_t& Trace::hash_entry(std::string_view path) const {
    std::size_t i = std::hash<std::string_view>()(path);
    while (true) {
        std::uint32_t& step = hash_table_[i++ & (hash_table_.size() - 1)];
        if (step == 0 || steps_[step - 1].path == path) return step;
    }
}

const std::deque<Trace::Step>& Trace::steps() const {
    check_replaced();
    write_paths();
    return steps_;
}

const Trace::Step* Trace::find(std::string_view path) const {
    const index_t at = position_of(path);
    return at < 0 ? nullptr : &steps_[static_cast<std::size_t>(at)];
}

index_t Trace::position_of(std::string_view path) const {
    write_paths();
    return static_cast<index_t>(hash_entry(path)) - 1;
}

const Tensor& Trace::operator[](std::string_view path) const {
    check_replaced();
    if (const Step* step = find(path)) return step->value;
    if (steps_.empty())
        fail(
            "trace: no step '{}', nor any other: nothing was named on this thread while the trace was "
            "recording",
            path);
    fail("trace: no step '{}'; the steps are: {}", path, fmt::join(paths(), ", "));
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

const Operation* Trace::operation_of(const Tensor& value) const {
    const std::uint32_t operation = find(value).operation;
    return operation ? &operations_[operation - 1] : nullptr;
}

const Trace::Step* Trace::step_of(const Tensor& value) const {
    const std::uint32_t step = find(value).step;
    write_paths();
    return step ? &steps_[step - 1] : nullptr;
}

void Trace::replace(std::string path, Tensor value) {
    replacements_[std::move(path)] = {std::move(value), false};
}

// scope + name, with "#2", "#3", … if earlier steps have taken that path.
std::string Trace::unique_path(std::string_view scope, std::string_view name) const {
    std::string path;
    path.reserve(scope.size() + name.size());
    path.append(scope).append(name);
    for (int count = 2; hash_entry(path); ++count) path = fmt::format("{}{}#{}", scope, name, count);
    return path;
}

// Builds and indexes the paths of the steps added since the last call.
void Trace::write_paths() const {
    for (; written_ < steps_.size(); ++written_) {
        Step& step = steps_[written_];
        const auto& [scope, name] = names_[written_];
        step.path = unique_path(scopes_[scope], name ? std::string_view(name) : std::string(step.path));
        const auto count = static_cast<std::uint32_t>(written_ + 1);
        if (2 * count < hash_table_.size()) {
            hash_entry(step.path) = count;
        } else {  // half full
            hash_table_.assign(2 * hash_table_.size(), 0);
            for (std::uint32_t each = 1; each <= count; ++each) hash_entry(steps_[each - 1].path) = each;
        }
    }
}

// Compares with the last scope only: consecutive steps are usually in the same one.
std::uint32_t Trace::current_scope() {
    const std::string& path = Scope::path();
    if (scopes_.empty() || scopes_.back() != path) scopes_.push_back(path);
    return static_cast<std::uint32_t>(scopes_.size() - 1);
}

bool Trace::is_step(const Tensor& value, std::string_view name) const {
    const std::uint32_t step = find(value).step;
    if (step == 0) return false;
    const Name& earlier = names_[step - 1];
    return earlier.name && earlier.name == name && scopes_[earlier.scope] == Scope::path();
}

// The value of a step after the hook and replace().
Tensor Trace::substituted(std::string_view name, const StepInfo* info, const Tensor& made) {
    write_paths();
    const std::string path = unique_path(Scope::path(), name);
    Tensor value = made;
    if (hook_) {
        in_hook_ = true;
        const struct Leave {
            bool& in;
            ~Leave() { in = false; }
        } leave{in_hook_};
        const std::string own(name);
        const StepInfo undeclared{"", own.c_str(), "", ""};
        value = hook_(Frame(*this, path, made), info ? *info : undeclared, made);
    }
    const auto found = replacements_.find(path);
    if (found == replacements_.end()) return value;
    auto& [replacement, used, step, operations] = found->second;
    used = true, step = steps_.size(), operations = operations_.size();
    if (replacement.shape() != made.shape())
        fail("trace: step '{}' has shape {}, its replacement {}", path, made.shape(), replacement.shape());
    return replacement.to(made.device());
}

// Self-attention may name one x as Q, K and V. Each name gets a separate value, and so a separate gradient.
Tensor Trace::as_separate_step(const Tensor& value) {
    const auto [operation, step] = find(value);
    const bool is_input = operation == 0, is_named = step != 0;
    if (!is_input && !is_named) return value;
    Tensor alias = value.alias(value.shape(), value.strides());
    if (Tape* tape = Tape::current())
        tape->record("reshape", alias, {&value}, [](const Tensor& dy) -> Tape::Gradients { return {dy}; });
    add_operation({"reshape", alias, {value}});
    return alias;
}

Tensor Trace::add_step(std::string_view name, const StepInfo* info, Tensor made,
                       std::initializer_list<Setting> settings) {
    if (in_hook_ || (info && is_step(made, name))) return made;
    if (name.empty()) fail("named: a step needs a name: Tensor gate = named(\"gate\", …)");
    const bool is_unchanged = replacements_.empty() && !hook_;
    Tensor value = as_separate_step(is_unchanged ? made : substituted(name, info, made));
    known(value).step = static_cast<std::uint32_t>(steps_.size() + 1);
    names_.push_back({current_scope(), info ? info->name : nullptr});
    steps_.push_back({info ? std::string() : std::string(name), value, std::move(made), info, settings});
    if (Tape* tape = Tape::current()) tape->keep(value);
    return value;
}

void Trace::add_operation(Operation operation) {
    operations_.push_back(std::move(operation));
    known(operations_.back().output).operation = static_cast<std::uint32_t>(operations_.size());
}

std::string Frame::at(std::string_view name) const {
    return path_.substr(0, path_.rfind('/') + 1).append(name);
}

bool Frame::contains(std::string_view name) const { return trace_.contains(at(name)); }

const Tensor& Frame::operator[](std::string_view name) const { return trace_[at(name)]; }

std::optional<double> Frame::setting(std::string_view step, std::string_view name) const {
    const index_t position = trace_.position_of(at(step));
    if (position < 0) return {};
    for (const Setting& each : trace_.steps()[static_cast<std::size_t>(position)].settings)
        if (each.name == name) return each.value;
    return {};
}

const Operation& Frame::operation() const {
    if (const Operation* operation = trace_.operation_of(made_)) return *operation;
    fail("trace: step '{}' is an input, not the result of an operation", path_);
}

const Operation& Frame::operation(std::string_view name) const {
    const std::string path = at(name);
    (void)trace_[path];  // throws Error that lists the steps
    const Trace::Step& step = trace_.steps()[static_cast<std::size_t>(trace_.position_of(path))];
    if (const Operation* operation = trace_.operation_of(step.made)) return *operation;
    fail("trace: step '{}' is an input, not the result of an operation", path);
}

}  // namespace glassbox
