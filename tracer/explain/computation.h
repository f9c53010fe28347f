#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <glassbox/io/named_tensors.h>
#include <glassbox/observe/trace.h>
#include <glassbox/tensor/words.h>

#include "explain/equation.h"

namespace glassbox::tracer {

// A traced computation as data, for outputs that show or recompute the arithmetic of every number: the steps,
// what they were computed from down to inputs and parameters, and the equation of each.
struct Computation {
    Computation() = default;
    Computation(const Computation&) = delete;  // equations refer to its operations
    Computation& operator=(const Computation&) = delete;
    Computation(Computation&&) = default;
    Computation& operator=(Computation&&) = default;

    enum class Kind { step, parameter, input, constant, value };
    struct Node {
        Tensor tensor;
        Kind kind = Kind::value;
        std::string name;  // path of the step, or name of the parameter; empty: unnamed
        const char* op = "";
        // The same numbers as another node's: element number `base` + Σ stride · place of `source`.
        std::size_t source = none;
        index_t base = 0;
        std::vector<index_t> strides;
        // The numbers of several nodes, one after the other along an axis.
        std::vector<std::size_t> parts;
        int axis = 0;
        // Its numbers do not follow from other nodes: inputs, parameters, draws, ops without a formula.
        bool is_given = true;
    };
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    std::vector<Node>
        nodes;  // each after those it was computed from, but an input before the step that names it
    std::vector<Equation> equations;
    std::size_t loss = none;  // the scalar whose gradients are shown

    std::size_t find(const Tensor& tensor) const;  // `none` if it has no part in the steps

    std::vector<Operation> operations;  // what the equations refer to
    std::unordered_map<Tensor::Id, std::size_t> by_id;
};

// What the trace's steps, and the loss if it is defined, were computed from. `parameters` gives the names.
Computation computation_of(const Trace& trace, const NamedTensors& parameters, const Tensor& loss = {});

}  // namespace glassbox::tracer

template <>
struct glassbox::EnumWords<glassbox::tracer::Computation::Kind> {
    static constexpr const char* what = "kind";
    static constexpr Word<glassbox::tracer::Computation::Kind> all[] = {
        {glassbox::tracer::Computation::Kind::step, "step"},
        {glassbox::tracer::Computation::Kind::parameter, "parameter"},
        {glassbox::tracer::Computation::Kind::input, "input"},
        {glassbox::tracer::Computation::Kind::constant, "constant"},
        {glassbox::tracer::Computation::Kind::value, "value"}};
};
