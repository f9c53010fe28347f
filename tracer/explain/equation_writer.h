#pragma once
#include <initializer_list>
#include <string_view>

#include <glassbox/observe/trace.h>

#include "explain/equation.h"

namespace glassbox::tracer {

// Writes one equation: of an op's output, or of what one use of an operand adds to its gradient.
class EquationWriter {
  public:
    // Where a read looks along one axis of its tensor.
    struct Index {
        enum { own, loop, fixed, by } kind;
        index_t n;  // the axis of the computed tensor, the loop, the place, the read
    };
    using Places = std::vector<Index>;

    // Of its output, at any place or only at one.
    EquationWriter(const Operation& op, const Trace& trace, const std::vector<index_t>* only_at = nullptr);
    EquationWriter(const Operation& op, const Trace& trace, int operand);

    const Operation& op() const { return *equation_.op; }
    const Tensor& of() const { return equation_.of; }
    bool is_gradient() const { return equation_.operand.has_value(); }
    int operand() const { return *equation_.operand; }
    const std::vector<index_t>* only_at() const { return only_at_; }
    bool is_made_by(const Tensor& tensor, std::string_view op) const;

    Index own(int axis) const;  // negative: from the end
    Index loop(index_t size, const std::string& letter);
    Places all_own() const;
    // Loops over the first axes of a tensor.
    Places loops(const Tensor& tensor, int axes);
    // Without the last `inner` axes, which do not broadcast: the output's places that use the operand, with a
    // loop along every axis that repeats it; and the places of any operand at these places of the output.
    Places output_places(int inner = 0);
    Places aligned(const Tensor& operand, const Places& output, int inner = 0) const;

    Expression value(const Tensor& tensor, const Places& at);
    Expression gradient(const Tensor& tensor, const Places& at);  // ∂L/∂tensor
    int last_read() const { return static_cast<int>(equation_.reads.size()) - 1; }

    // The sum over the loops, if there are any.
    Expression summed(const Expression& term) const;
    Equation is(const Expression& expression) const;
    Equation unknown() const;  // reads the op's inputs

  private:
    std::string next_letter() const;
    Expression add(const Tensor& tensor, bool is_gradient, const Places& at);

    Equation equation_;
    const Trace& trace_;
    const std::vector<index_t>* only_at_ = nullptr;
};

// The equations of ops that work on rows, the last axis (equations_rows.cpp), and of products of matrices,
// sums and extremes over axes, tables (equations_sums.cpp): of the output, or of one operand's gradient, as
// set in the writer.
namespace equations {

Equation softmax(EquationWriter& w);
Equation log_softmax(EquationWriter& w);
Equation layer_norm(EquationWriter& w);
Equation cross_entropy(EquationWriter& w);

Equation matmul(EquationWriter& w);
Equation linear(EquationWriter& w);
Equation total(EquationWriter& w);
Equation extreme(EquationWriter& w);
Equation embedding(EquationWriter& w);
Equation sinusoid(EquationWriter& w);

}  // namespace equations

}  // namespace glassbox::tracer
