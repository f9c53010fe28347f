// Products of matrices, sums and extremes over axes, and tables.
#include "explain/equation_writer.h"

#include <cmath>
#include <string_view>

namespace glassbox::tracer::equations {
namespace {

using Places = EquationWriter::Places;

Places without_last(Places places, std::size_t count) {
    places.resize(places.size() - count);
    return places;
}

Places joined(Places places, std::initializer_list<EquationWriter::Index> more) {
    places.insert(places.end(), more);
    return places;
}

}  // namespace

// C_ij = Σ_c A_ic B_cj            ∂L/∂A_ic = Σ_j ∂L/∂C_ij B_cj,  ∂L/∂B_cj = Σ_i A_ic ∂L/∂C_ij
Equation matmul(EquationWriter& w) {
    const Tensor &A = w.op().inputs[0], &B = w.op().inputs[1], &C = w.op().output;
    const Places batch = w.output_places(2), of_A = w.aligned(A, batch, 2), of_B = w.aligned(B, batch, 2);
    if (!w.is_gradient()) {
        const auto i = w.own(-2), j = w.own(-1),
                   c = w.loop(A.size(-1), w.is_made_by(A, "softmax") ? "j" : "c");  // a key, or a feature
        const Expression a = w.value(A, joined(of_A, {i, c})), b = w.value(B, joined(of_B, {c, j}));
        return w.is(sum(a * b));
    }
    if (w.operand() == 0) {
        const auto i = w.own(-2), c = w.own(-1), j = w.loop(C.size(-1), "j");
        const Expression dC = w.gradient(C, joined(batch, {i, j})), b = w.value(B, joined(of_B, {c, j}));
        return w.is(sum(dC * b));
    }
    const auto c = w.own(-2), j = w.own(-1), i = w.loop(C.size(-2), "i");
    const Expression a = w.value(A, joined(of_A, {i, c})), dC = w.gradient(C, joined(batch, {i, j}));
    return w.is(sum(a * dC));
}

// y_o = Σ_c x_c W_oc + b_o        ∂L/∂x_c = Σ_o ∂L/∂y_o W_oc,  ∂L/∂W_oc = Σ_rows ∂L/∂y_o x_c,  ∂L/∂b = Σ_rows
// ∂L/∂y
Equation linear(EquationWriter& w) {
    const Tensor &x = w.op().inputs[0], &W = w.op().inputs[1], &y = w.op().output;
    if (!w.is_gradient()) {
        const Places row = without_last(w.all_own(), 1);
        const auto o = w.own(-1), c = w.loop(W.size(1), "c");
        const Expression x_c = w.value(x, joined(row, {c})), W_oc = w.value(W, {o, c}),
                         product = sum(x_c * W_oc);
        return w.is(w.op().inputs.size() > 2 ? product + w.value(w.op().inputs[2], {o}) : product);
    }
    if (w.operand() == 0) {
        const Places row = without_last(w.all_own(), 1);
        const auto c = w.own(-1), o = w.loop(W.size(0), "o");
        const Expression dy = w.gradient(y, joined(row, {o})), W_oc = w.value(W, {o, c});
        return w.is(sum(dy * W_oc));
    }
    const Places row = w.loops(x, x.rank() - 1);
    const auto o = w.own(0);
    const Expression dy = w.gradient(y, joined(row, {o}));
    if (w.operand() == 2) return w.is(w.summed(dy));
    return w.is(w.summed(dy * w.value(x, joined(row, {w.own(1)}))));
}

namespace {

// For each axis of the operand of a sum or an extreme: the axis of the output that it becomes, or −1 where it
// is reduced (a kept axis of size 1 carries no information).
std::vector<int> reduced_axes(const Operation& op) {
    const Tensor &x = op.inputs[0], &y = op.output;
    std::vector<int> axes;
    if (op.has("axis")) {
        const bool is_kept = y.rank() == x.rank();
        for (int axis = 0, next = 0; axis < x.rank(); ++axis) {
            const bool is_reduced = axis == op.axis();
            axes.push_back(is_reduced ? -1 : next);
            if (!is_reduced || is_kept) ++next;
        }
        return axes;
    }
    for (int axis = 0; axis < x.rank(); ++axis) {  // aligned from the end, as broadcasting is
        const int there = axis - (x.rank() - y.rank());
        axes.push_back(there < 0 || (y.size(there) == 1 && x.size(axis) != 1) ? -1 : there);
    }
    return axes;
}

// x at the places that one number of the output comes from.
Places terms_of(EquationWriter& w, const std::vector<int>& axes) {
    constexpr const char* letters[] = {"i", "j", "k", "l"};
    Places places;
    std::size_t loops = 0;
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
        places.push_back(axes[axis] >= 0
                             ? w.own(axes[axis])
                             : w.loop(w.op().inputs[0].size(static_cast<int>(axis)), letters[loops++ % 4]));
    return places;
}

// The output at the place to which a number of x belongs.
Places result_of(const EquationWriter& w, const std::vector<int>& axes) {
    Places places(static_cast<std::size_t>(w.op().output.rank()), {EquationWriter::Index::fixed, 0});
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
        if (axes[axis] >= 0) places[static_cast<std::size_t>(axes[axis])] = w.own(static_cast<int>(axis));
    return places;
}

}  // namespace

// y = Σ x                         ∂L/∂x = ∂L/∂y
Equation total(EquationWriter& w) {
    const std::vector<int> axes = reduced_axes(w.op());
    if (w.is_gradient()) return w.is(w.gradient(w.op().output, result_of(w, axes)));
    return w.is(w.summed(w.value(w.op().inputs[0], terms_of(w, axes))));
}

// y = max x, min x                ∂L/∂x = ∂L/∂y where x = y, divided evenly among ties
Equation extreme(EquationWriter& w) {
    const std::vector<int> axes = reduced_axes(w.op());
    const Tensor &x = w.op().inputs[0], &output = w.op().output;
    if (!w.is_gradient()) {
        const Expression each = w.value(x, terms_of(w, axes));
        return w.is(std::string_view(w.op().op) == "max" ? max(each) : min(each));
    }
    const Places at = result_of(w, axes);
    const Expression here = w.value(x, w.all_own()), y = w.value(output, at), dy = w.gradient(output, at);
    Places along = w.all_own();
    along[static_cast<std::size_t>(w.op().axis())] = w.loop(x.size(w.op().axis()), "i");
    const Expression ties = sum(1, equal(w.value(x, along), y));
    return w.is(choice(equal(here, y), dy / ties, 0));
}

// y[…,j] = table[id[…],j]         ∂L/∂table[r,j] = Σ ∂L/∂y[n,j] over the n with id[n] = r
Equation embedding(EquationWriter& w) {
    const Tensor &table = w.op().inputs[0], &ids = w.op().inputs[1], &y = w.op().output;
    if (!w.is_gradient()) {
        const int id = w.value(ids, without_last(w.all_own(), 1)).index;
        return w.is(noted(w.value(table, {{EquationWriter::Index::by, id}, w.own(-1)}),
                          {{"in row {value} because {label} = {value}", id}}));
    }
    const Places places = w.loops(ids, ids.rank());
    const Expression id = w.value(ids, places), dy = w.gradient(y, joined(places, {w.own(1)}));
    return w.is(places.empty() ? choice(equal(id, place(0)), dy, 0) : sum(dy, equal(id, place(0))));
}

// PE[t,2i] = sin(t ω_i),  PE[t,2i+1] = cos(t ω_i),  ω_i = 10000^(−2i/d)
Equation sinusoid(EquationWriter& w) {
    const Expression j = place(w.of().rank() - 1), d = constant(w.op()["d_model"], "d"), i = letter("i"),
                     angle = letter("t") * letter("ω_i"), row = place(w.of().rank() - 2);
    const double first = w.op()["first"];
    return w.is(let("t", first == 0 ? row : row + first,
                    let("i", f("floor", j / 2),
                        let("ω_i", f("pow", 10000, -(2 * i) / d),
                            choice(equal(j, 2 * i), f("sin", angle), f("cos", angle))))));
}

}  // namespace glassbox::tracer::equations
