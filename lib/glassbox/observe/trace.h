#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <glassbox/observe/few.h>
#include <glassbox/observe/listening.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// While a Trace lives, every named step of this thread's computation is kept, in reading order, and so is the
// operation that each value came from:
//     { Trace trace;  scaled_dot_product(Q, K, V);  print(trace["attention"]); }
// Traces nest; the innermost listens, on the thread that made it. A step's value is copied to the host only
// when somebody looks at it.
class Trace {
  public:
    struct Step {
        std::string path;  // "encoder/0/self_attn/logits"; a second step of one path becomes "logits#2"
        Tensor value;
    };
    // One op's work: what --explain follows from a number down to the inputs.
    struct Operation {
        const char* op = "";  // the op's name: "matmul", "softmax", …
        Tensor output;
        Few<Tensor> inputs;
        int axis = 0;  // for ops that have one
        // What it was told besides, in the order of its arguments: ε and the Moments of layer_norm, the form
        // of gelu, p of dropout, first position and width of sinusoidal_encoding.
        std::vector<double> settings{};
    };

    Trace();
    ~Trace();
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;
    static Trace* current() { return listening_trace(); }  // the one that listens to this thread, or null

    const std::deque<Step>& steps() const { return steps_; }
    const std::deque<Operation>& operations() const { return operations_; }
    bool contains(std::string_view path) const { return find(path) != nullptr; }
    index_t position_of(std::string_view path) const;          // among steps(); −1 where there is none
    const Tensor& operator[](std::string_view path) const;     // throws Error that lists the steps there are
    const Operation* operation_of(const Tensor& value) const;  // null for an input
    const Step* step_of(const Tensor& value) const;            // null when the value has no name

    // From now on the step at `path` takes this value instead of its own: what would change downstream?
    // (Finite differences of any step, "what if" experiments.) Shapes must agree.
    void replace(std::string path, Tensor value);

    // For named() and for ops.
    Tensor add_step(std::string_view name, Tensor value);
    void add_operation(Operation operation);

  private:
    // Where what is known of a value stands, counted from 1; 0: nowhere.
    struct Known {
        std::uint32_t operation = 0, step = 0;
    };
    Known& known(const Tensor& value);
    Known find(const Tensor& value) const;
    std::uint32_t& place(std::string_view path);
    const Step* find(std::string_view path) const;
    Tensor as_a_step_of_its_own(const Tensor& value);
    void note(std::string path, const Tensor& value);

    Trace* outer_;
    std::deque<Step> steps_;  // steps and operations stay where they are while more come
    std::deque<Operation> operations_;
    Tensor::Id first_;                               // the first id that can be made while this trace lives
    std::vector<Known> known_;                       // of first_, first_ + 1, …
    std::unordered_map<Tensor::Id, Known> outside_;  // of what was made before, or by another thread
    std::vector<std::uint32_t> places_;              // a hash table of paths: their steps, counted from 1
    std::unordered_map<std::string, Tensor> replacements_;
};

// The identity function, unless a Trace listens: then it keeps `value` under this name. Write one named step
// a statement: C++ does not order function arguments, and the trace is read top to bottom.
#ifndef GLASSBOX_WITHOUT_NAMES  // a build to measure what names cost, in which no step has one
inline Tensor named(std::string_view name, Tensor value) {
    Trace* trace = Trace::current();
    return trace ? trace->add_step(name, std::move(value)) : value;
}
#else
inline Tensor named(std::string_view, Tensor value) { return value; }
#endif

}  // namespace glassbox
