// What stands beside a step's numbers: the tensors that they were made from, as in a product on paper where
// it is one (the rows of Q to the left, the columns of Kᵀ above), else one after the other.
import {Site} from "./equation.js";
import {operandsOf} from "./operands.js";
import {placeOf} from "./shape.js";

const mostBeside = 12;  // rows and columns of a product that is set as on paper

// The equation that computes a number, and its number there: views are looked through.
export function equationAt(trace, element) {
    const {tensor, at, gradient} = element;
    if (gradient) {
        const terms = trace.gradientTerms(tensor, at);
        return terms.length === 1 && terms[0].equation && terms[0].equation.is !== null ? terms[0] : null;
    }
    if (trace.producer[tensor])
        return trace.producer[tensor].is === null ? null : {equation: trace.producer[tensor], at};
    const below = trace.below(tensor, at);
    return below && !trace.isNamed(below.tensor) ? equationAt(trace, {...below, gradient}) : null;
}

const isProductSum = (tree) => Array.isArray(tree) &&
    (tree[0] === "sum" ? String(tree) === "sum,*,r,0,r,1" : tree[0] === "+" && isProductSum(tree[1]));

// {left, top, inner}: left(i, k) and top(k, j) are elements; null where the step is no product, or is too
// large.
export function productOf(trace, tensor, gradient, slice) {
    if (trace.shape(tensor).length < 2 || slice.rows > mostBeside || slice.columns > mostBeside) return null;
    const at = (i, j) => equationAt(trace, {tensor, at: slice.element(i, j), gradient});
    const origin = at(0, 0);
    if (!origin || origin.equation.loops.length !== 1 || origin.equation.loops[0] > mostBeside) return null;
    if (!isProductSum(trace.data.expressions[origin.equation.is])) return null;
    const operand = (i, j, n, k) => {
        const {equation, at: element} = at(i, j);
        const site = new Site(trace, equation, element);
        site.letters[0] = k;
        return trace.resolved(site.operand(n));
    };
    const moves = (n, i, j) =>
        slice.rows > i && slice.columns > j && operand(i, j, n, 0).at !== operand(0, 0, n, 0).at;
    const alongRows = [0, 1].map((n) => moves(n, 1, 0)), alongColumns = [0, 1].map((n) => moves(n, 0, 1));
    const left = alongColumns[0] || alongRows[1] ? 1 : 0;
    if (alongColumns[left] || alongRows[1 - left]) return null;
    const product = {
        inner: origin.equation.loops[0],
        left: (i, k) => operand(i, 0, left, k),
        top: (k, j) => operand(0, j, 1 - left, k)
    };
    product.isLeftTurned =
        isTurned(trace, product, product.left(0, 0), product.left(0, 1 % product.inner), 1);
    product.isTopTurned = isTurned(trace, product, product.top(0, 0), product.top(1 % product.inner, 0), 2);
    return product;
}

// Whether the inner index runs over another axis than it does in a plain product: then the operand is
// transposed.
function isTurned(trace, product, first, next, axisFromEnd) {
    const shape = trace.shape(first.tensor);
    if (shape.length < 2 || product.inner < 2) return false;
    const a = placeOf(shape, first.at), b = placeOf(shape, next.at);
    return a[shape.length - axisFromEnd] === b[shape.length - axisFromEnd];
}

// The tensors a number was made from, each with one of its elements: [{tensor, at, gradient}…]
export function operandTensors(trace, element, most = 4) {
    const found = new Map();
    for (const each of operandsOf(trace, element)) {
        const key = (each.gradient ? "∂" : "") + each.tensor;
        if (!found.has(key)) found.set(key, each);
    }
    return [...found.values()].slice(0, most);
}
