#include "explain/equation_writer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <glassbox/tensor/shape.h>

namespace glassbox::tracer {
namespace {

// Calls f with every read of an expression.
template <class E, class F>
void for_each_read(E& expression, const F& f) {
    if (expression.kind == Expression::Kind::read) f(expression.index);
    for (auto& note : expression.notes)
        if (note.of >= 0) f(note.of);
    for (auto& each : expression.of) for_each_read(each, f);
}

// Leaves out what the expression does not read.
void drop_unused(Equation& equation) {
    std::vector<bool> used(equation.reads.size());
    for_each_read(*equation.is, [&](int n) { used[static_cast<std::size_t>(n)] = true; });
    for (std::size_t n = 0; n < used.size(); ++n)
        if (used[n])
            for (const auto& [other, stride] : equation.reads[n].by)
                used[static_cast<std::size_t>(other)] = true;
    std::vector<int> number(used.size());
    std::vector<Read> kept;
    for (std::size_t n = 0; n < used.size(); ++n) {
        number[n] = static_cast<int>(kept.size());
        if (used[n]) kept.push_back(equation.reads[n]);
    }
    equation.reads = std::move(kept);
    for (Read& read : equation.reads)
        for (auto& [other, stride] : read.by) other = number[static_cast<std::size_t>(other)];
    for_each_read(*equation.is, [&](int& n) { n = number[static_cast<std::size_t>(n)]; });
}

}  // namespace

EquationWriter::EquationWriter(const Operation& op, const Trace& trace, const std::vector<index_t>* only_at)
    : equation_{&op, op.output, {}, {}, {}, {}, {}}, trace_(trace), only_at_(only_at) {}
EquationWriter::EquationWriter(const Operation& op, const Trace& trace, int operand)
    : equation_{&op, op.inputs[static_cast<std::size_t>(operand)], operand, {}, {}, {}, {}}, trace_(trace) {}

bool EquationWriter::is_made_by(const Tensor& tensor, std::string_view op) const {
    const Operation* made = trace_.operation_of(tensor);
    return made && made->op == op;
}

EquationWriter::Index EquationWriter::own(int axis) const {
    return {Index::own, axis < 0 ? of().rank() + axis : axis};
}

EquationWriter::Index EquationWriter::loop(index_t size, const std::string& letter) {
    equation_.loops.push_back(size);
    equation_.letters.push_back(letter);
    return {Index::loop, static_cast<index_t>(equation_.loops.size()) - 1};
}

EquationWriter::Places EquationWriter::all_own() const {
    Places places;
    for (int axis = 0; axis < of().rank(); ++axis) places.push_back(own(axis));
    return places;
}

EquationWriter::Places EquationWriter::loops(const Tensor& tensor, int axes) {
    Places places;
    for (int axis = 0; axis < axes; ++axis) places.push_back(loop(tensor.size(axis), next_letter()));
    return places;
}

std::string EquationWriter::next_letter() const {
    constexpr const char* letters[] = {"n", "m", "l", "k", "h", "g", "r", "s"};
    return letters[equation_.loops.size() % std::size(letters)];
}

EquationWriter::Places EquationWriter::output_places(int inner) {
    const Tensor& y = op().output;
    Places places;
    for (int axis = 0; axis + inner < y.rank(); ++axis) {
        const int here = axis - (y.rank() - of().rank());
        const bool is_repeated = here < 0 || (of().size(here) == 1 && y.size(axis) != 1);
        places.push_back(is_repeated ? loop(y.size(axis), next_letter()) : own(here));
    }
    return places;
}

EquationWriter::Places EquationWriter::aligned(const Tensor& operand, const Places& output, int inner) const {
    const int axes = operand.rank() - inner;
    const std::size_t skipped = output.size() - static_cast<std::size_t>(axes);
    Places places;
    for (int axis = 0; axis < axes; ++axis)
        places.push_back(operand.size(axis) == 1 ? Index{Index::fixed, 0}
                                                 : output[skipped + static_cast<std::size_t>(axis)]);
    return places;
}

Expression EquationWriter::value(const Tensor& tensor, const Places& at) { return add(tensor, false, at); }
Expression EquationWriter::gradient(const Tensor& tensor, const Places& at) { return add(tensor, true, at); }

Expression EquationWriter::add(const Tensor& tensor, bool is_gradient, const Places& at) {
    Read made{tensor, is_gradient, 0, std::vector<index_t>(static_cast<std::size_t>(of().rank())),
              std::vector<index_t>(equation_.loops.size())};
    const Strides strides = contiguous_strides(tensor.shape());
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
        const index_t stride = strides[axis], n = at[axis].n;
        switch (at[axis].kind) {
            case Index::own:
                made.strides[static_cast<std::size_t>(n)] += stride;
                break;
            case Index::loop:
                made.loop_strides[static_cast<std::size_t>(n)] += stride;
                break;
            case Index::fixed:
                made.base += n * stride;
                break;
            case Index::by:
                made.by.emplace_back(static_cast<int>(n), stride);
        }
    }
    equation_.reads.push_back(std::move(made));
    return read(last_read());
}

Expression EquationWriter::summed(const Expression& term) const {
    return equation_.loops.empty() ? term : sum(term);
}

Equation EquationWriter::is(const Expression& expression) const {
    Equation written = equation_;
    written.is = expression;
    drop_unused(written);
    for (Read& each : written.reads)
        each.loop_strides.resize(written.loops.size());  // of reads before a loop
    return written;
}

Equation EquationWriter::unknown() const {
    Equation written = equation_;
    for (const Tensor& input : op().inputs)
        written.reads.push_back(
            {input, false, 0, std::vector<index_t>(static_cast<std::size_t>(of().rank())), {}});
    return written;
}

}  // namespace glassbox::tracer
