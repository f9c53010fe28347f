#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <glassbox/observe/detail/listening.h>
#include <glassbox/observe/operation.h>
#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

class Frame;

// While a Trace lives, every named step of this thread's computation is kept, in reading order, and so is the
// operation that each value came from:
//     { Trace trace;  scaled_dot_product(Q, K, V);  print(trace["attention"]); }
// Traces nest; the innermost listens, on the thread that made it. A step's value is copied to the host only
// when somebody looks at it.
class Trace {
  public:
    struct Step {
        std::string path;      // "encoder/0/self_attn/logits"; a second step of one path becomes "logits#2"
        Tensor value;          // what goes on from here
        Tensor made;           // what was computed: another tensor only where something was put in its place
        const StepInfo* info;  // what its layer says of it; null for a name alone
    };

    [[nodiscard]] Trace();
    ~Trace();
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;
    static Trace* current() { return listening_trace(); }  // the one that listens to this thread, or null

    const std::deque<Step>& steps() const;
    const std::deque<Operation>& operations() const { return operations_; }
    bool contains(std::string_view path) const { return find(path) != nullptr; }
    index_t position_of(std::string_view path) const;          // among steps(); −1 where there is none
    const Tensor& operator[](std::string_view path) const;     // throws Error that lists the steps there are
    const Operation* operation_of(const Tensor& value) const;  // null for an input
    const Step* step_of(const Tensor& value) const;            // null when the value has no name

    // From now on the step at `path` takes this value instead of its own: what would change downstream?
    // (Finite differences of any step, "what if" experiments.) Shapes must agree. When no such step comes,
    // looking at the steps throws Error that lists those that came; who does not look is told at the end of
    // the trace, on stderr.
    void replace(std::string path, Tensor value);

    // Called with every step that a layer has declared, and with what was made: what it returns goes on in
    // its place, of whatever shape. What it computes is recorded, on a Tape too, and nothing in it is a step.
    using Hook = std::function<Tensor(const Frame& frame, const StepInfo& step, const Tensor& made)>;
    void set_hook(Hook hook) { hook_ = std::move(hook); }

    // For named() and for ops.
    Tensor add_step(std::string_view name, const StepInfo* info, Tensor value);
    void add_operation(Operation operation);

  private:
    // Where what is known of a value stands, counted from 1; 0: nowhere.
    struct Known {
        std::uint32_t operation = 0, step = 0;
    };
    std::string never_replaced() const;
    void check_replaced() const;
    std::vector<std::string_view> paths() const;
    Known& known(const Tensor& value);
    Known find(const Tensor& value) const;
    std::uint32_t& place(std::string_view path) const;
    const Step* find(std::string_view path) const;
    std::string free_path(std::string_view scope, std::string_view name) const;
    bool is_step(const Tensor& value, std::string_view name) const;
    Tensor put_in_place(std::string_view name, const StepInfo* info, const Tensor& made);
    Tensor as_a_step_of_its_own(const Tensor& value);
    std::uint32_t scope_here();
    void write_paths() const;
    void enter(std::uint32_t step) const;

    Trace* outer_;
    std::deque<Operation> operations_;  // operations and steps stay where they are while more come
    Tensor::Id first_;                  // the first id that can be made while this trace lives
    std::vector<Known> known_;          // of first_, first_ + 1, …
    std::unordered_map<Tensor::Id, Known> outside_;  // of what was made before, or by another thread
    struct Replacement {
        Tensor value;
        bool used = false;
    };
    std::unordered_map<std::string, Replacement> replacements_;
    Hook hook_;
    bool in_hook_ = false;

    // A step's path is put together when somebody asks for one: training with a Trace seldom does.
    struct Name {
        std::uint32_t scope;  // in scopes_
        const char* name;     // null: the step's path holds it
    };
    std::vector<std::string> scopes_;
    std::vector<Name> names_;  // of all steps
    mutable std::deque<Step> steps_;
    mutable std::size_t written_ = 0;            // so many steps have their paths
    mutable std::vector<std::uint32_t> places_;  // a hash table of paths: their steps, counted from 1
};

// The identity function, unless a Trace listens: then it keeps `value` as this step. Write one named step a
// statement: C++ does not order function arguments, and the trace is read top to bottom. Go on with what it
// returns, Tensor a = named("a", …): that is where replace() puts another. A value that has this name already
// is named once.
[[nodiscard]] inline Tensor named(const StepInfo& step, Tensor value) {
    Trace* trace = Trace::current();
    return trace ? trace->add_step(step.name, &step, std::move(value)) : value;
}
// For a step of one's own, of which nothing is declared.
[[nodiscard]] inline Tensor named(std::string_view name, Tensor value) {
    Trace* trace = Trace::current();
    return trace ? trace->add_step(name, nullptr, std::move(value)) : value;
}

// What a Trace knows where a step is made: all that is needed to make it in another way.
class Frame {
  public:
    Frame(const Trace& trace, std::string path, const Tensor& made)
        : trace_(trace), path_(std::move(path)), made_(made) {}

    const std::string& path() const { return path_; }       // "encoder/0/self_attn/attention"
    bool contains(std::string_view name) const;             // whether an earlier step of this scope has it
    const Tensor& operator[](std::string_view name) const;  // that step; throws Error that lists all
    // The op that made the step, with its inputs and settings. Throws Error for an input.
    const Operation& operation() const;
    const Trace& trace() const { return trace_; }

  private:
    std::string at(std::string_view name) const;

    const Trace& trace_;
    std::string path_;
    const Tensor& made_;
};

}  // namespace glassbox
