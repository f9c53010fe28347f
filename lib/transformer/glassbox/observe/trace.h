#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <glassbox/observe/detail/listening.h>
#include <glassbox/observe/detail/small_vector.h>
#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// An argument of an op other than its input tensors: {"axis", 1}, {"epsilon", 1e-6}.
struct Setting {
    const char* name = "";
    double value = 0;

    Setting() = default;
    template <class Number>
    constexpr Setting(const char* setting_name, Number number)
        : name(setting_name), value(static_cast<double>(number)) {}
};

// One recorded call of an op. --explain follows these from a number down to the inputs.
struct Operation {
    const char* op = "";  // the op's name: "matmul", "softmax", …
    Tensor output;
    detail::SmallVector<Tensor> inputs;
    detail::SmallVector<Setting> settings{};

    bool has(std::string_view setting) const;
    double operator[](std::string_view setting) const;  // throws Error that lists the settings
    int axis() const { return static_cast<int>((*this)["axis"]); }
};

// RAII prefix for the paths of the steps named in its lifetime:
//     Scope scope("encoder", 0);  …  named("logits", x)   →  encoder/0/logits
// Nearly free when no Trace is recording.
class Scope {
  public:
    [[nodiscard]] explicit Scope(std::string_view part);
    [[nodiscard]] Scope(std::string_view part, int index);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    static const std::string& path();  // of this thread: "encoder/0/", empty outside any scope

  private:
    std::size_t length_before_;
};

class Frame;

// While a Trace lives, it keeps every named step computed on this thread, in program order, and the operation
// that computed each value:
//     { Trace trace;  scaled_dot_product(Q, K, V);  print(trace["attention"]); }
// Traces nest; the innermost one records, on the thread that made it. A step's value is copied to the host
// only when it is read.
class Trace {
  public:
    struct Step {
        std::string path;      // "encoder/0/self_attn/logits"; a second step of one path becomes "logits#2"
        Tensor value;          // what the rest of the computation uses
        Tensor made;           // what was computed; differs from value only where a hook or replace() acted
        const StepInfo* info;  // its declaration; null for a step named by a string
        std::vector<Setting> settings{};  // what its layer says beside it
    };

    [[nodiscard]] Trace();
    ~Trace();
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;
    static Trace* current() { return detail::listening_trace(); }  // the one recording this thread, or null

    const std::deque<Step>& steps() const;
    const std::deque<Operation>& operations() const { return operations_; }
    bool contains(std::string_view path) const { return find(path) != nullptr; }
    index_t position_of(std::string_view path) const;          // index in steps(), or −1
    const Tensor& operator[](std::string_view path) const;     // throws Error that lists the steps
    const Operation* operation_of(const Tensor& value) const;  // null for an input
    const Step* step_of(const Tensor& value) const;            // null when the value has no name

    // From now on the step at `path` takes this value instead of the computed one, to see the effect
    // downstream (finite differences of any step, "what if" experiments). Shapes must agree. If there is no
    // such step, or the computation continues only with the tensor before named(), reading the steps throws
    // Error; if they are never read, the destructor prints the message to stderr.
    void replace(std::string path, Tensor value);

    // Called with every step and its computed value. If the step is named by a string, the StepInfo has only
    // the name, and is gone after the call. The computation continues with what it returns, of any shape. Ops
    // in the hook are recorded, also on a Tape, but nothing in it becomes a step.
    using Hook = std::function<Tensor(const Frame& frame, const StepInfo& step, const Tensor& made)>;
    void set_hook(Hook hook) { hook_ = std::move(hook); }

    // For named() and for ops.
    Tensor add_step(std::string_view name, const StepInfo* info, Tensor value,
                    std::initializer_list<Setting> settings = {});
    void add_operation(Operation operation);

  private:
    // Positions in operations_ and steps_, counted from 1; 0: none.
    struct Known {
        std::uint32_t operation = 0, step = 0;
    };
    std::string unused_replacement() const;
    void check_replaced() const;
    std::vector<std::string_view> paths() const;
    Known& known(const Tensor& value);
    Known find(const Tensor& value) const;
    std::uint32_t& hash_entry(std::string_view path) const;
    const Step* find(std::string_view path) const;
    std::string unique_path(std::string_view scope, std::string_view name) const;
    bool is_step(const Tensor& value, std::string_view name) const;
    Tensor substituted(std::string_view name, const StepInfo* info, const Tensor& made);
    Tensor as_separate_step(const Tensor& value);
    std::uint32_t current_scope();
    void write_paths() const;

    Trace* outer_;
    std::deque<Operation> operations_;  // deques: references stay valid as more are added
    Tensor::Id first_;                  // the smallest id of a tensor made during this trace's lifetime
    std::vector<Known> known_;          // by id − first_
    std::unordered_map<Tensor::Id, Known> outside_;  // of tensors made earlier or on another thread
    struct Replacement {
        Tensor value;
        bool used = false;
        std::size_t step = 0, operations = 0;  // its position in steps_; how many operations came before
    };
    bool is_passed_by(const Replacement& replacement) const;
    std::unordered_map<std::string, Replacement> replacements_;
    Hook hook_;
    bool in_hook_ = false;

    // A step's path is built on first use: a traced training step rarely needs it.
    struct Name {
        std::uint32_t scope;  // in scopes_
        const char* name;     // null: the step's path holds it
    };
    std::vector<std::string> scopes_;
    std::vector<Name> names_;  // of all steps
    mutable std::deque<Step> steps_;
    mutable std::size_t written_ = 0;                // the number of steps that have their paths
    mutable std::vector<std::uint32_t> hash_table_;  // path → its step, counted from 1; 0: empty
};

// The identity function, unless a Trace is recording: then it adds `value` to the trace as this step. Write
// one named step per statement, because C++ does not order the evaluation of function arguments. Continue
// with the returned value, Tensor a = named("a", …), which replace() or a hook may have changed. A value that
// already has this name is not named again.
[[nodiscard]] inline Tensor named(const StepInfo& step, Tensor value) {
    Trace* trace = Trace::current();
    return trace ? trace->add_step(step.name, &step, std::move(value)) : value;
}
// With settings of the layer that no operation has, such as its number of heads.
[[nodiscard]] inline Tensor named(const StepInfo& step, Tensor value,
                                  std::initializer_list<Setting> settings) {
    Trace* trace = Trace::current();
    return trace ? trace->add_step(step.name, &step, std::move(value), settings) : value;
}
// For a step without a declaration.
[[nodiscard]] inline Tensor named(std::string_view name, Tensor value) {
    Trace* trace = Trace::current();
    return trace ? trace->add_step(name, nullptr, std::move(value)) : value;
}

// The context of a step for a hook: the earlier steps of its scope and the operation that computed it, which
// is what it takes to compute the step differently.
class Frame {
  public:
    Frame(const Trace& trace, std::string path, const Tensor& made)
        : trace_(trace), path_(std::move(path)), made_(made) {}

    const std::string& path() const { return path_; }       // "encoder/0/self_attn/attention"
    bool contains(std::string_view name) const;             // whether an earlier step in this scope has it
    const Tensor& operator[](std::string_view name) const;  // its value; throws Error that lists the steps
    // The op that computed the step, with its inputs and settings. Throws Error for an input.
    const Operation& operation() const;
    // The same for an earlier step in this scope, even if a hook has replaced it.
    const Operation& operation(std::string_view name) const;
    // What the layer said beside an earlier step in this scope; nullopt where it said nothing.
    std::optional<double> setting(std::string_view step, std::string_view name) const;
    const Trace& trace() const { return trace_; }

  private:
    std::string at(std::string_view name) const;

    const Trace& trace_;
    std::string path_;
    const Tensor& made_;
};

// The formula of a step as it was computed here: "softmax(masked)", "x + self_attn/output". Steps have their
// names relative to its scope; a value from outside that scope is x. Empty for inputs and for steps without
// a StepInfo.
std::string formula_of(const Trace& trace, const Trace::Step& step);
// The same without a computation: "softmax(x)", "x, but fill where the mask is 0", with every part that some
// settings add.
std::string formula_of(const StepInfo& step);

// Pauses recording, by Trace and Tape, on this thread in a scope: pullbacks consist of ops that must not be
// recorded.
class NoRecording {
  public:
    [[nodiscard]] NoRecording() : trace_(detail::listening_trace()), tape_(detail::listening_tape()) {
        detail::listening_trace() = nullptr;
        detail::listening_tape() = nullptr;
    }
    ~NoRecording() {
        detail::listening_trace() = trace_;
        detail::listening_tape() = tape_;
    }
    NoRecording(const NoRecording&) = delete;
    NoRecording& operator=(const NoRecording&) = delete;

  private:
    Trace* trace_;
    Tape* tape_;
};

}  // namespace glassbox
