// The value of an equation: its syntax tree as a function of the place that asks. Nothing is rounded on the
// way.
import {functionsByName} from "./functions.js";
import {dot, forEachPlace, max, min, placeOf} from "./shape.js";

// One number of an equation's tensor, with the running values of the loops.
export class Site {
    constructor(trace, equation, element) {
        this.trace = trace;
        this.equation = equation;
        this.place = placeOf(trace.shape(equation.of), element);
        this.letters = new Array(equation.loops.length).fill(0);
        this.names = new Map();  // what "let" has named
    }

    // The number that read n stands for here.
    operand(n) {
        const [tensor, what, base, byPlace, byLetter, gathers] = this.equation.reads[n];
        let at = base + dot(byPlace, this.place) + dot(byLetter, this.letters);
        for (const [read, stride] of gathers || []) at += stride * this.read(read);
        return {tensor, at, gradient: what === 1};
    }

    read(n) { return this.trace.number(this.operand(n)); }

    terms() { return this.equation.loops.reduce((product, n) => product * n, 1); }

    forEachTerm(f) {
        forEachPlace(this.equation.loops, this.letters, f);
        this.letters.fill(0);
    }
}

export const binary = {
    "+": (a, b) => a + b,
    "-": (a, b) => a - b,
    "*": (a, b) => a * b,
    "/": (a, b) => a / b,
    "eq": (a, b) => a === b,
    ">": (a, b) => a > b,
    "<": (a, b) => a < b,
};

// site → number, or true and false for a condition
export function compiled(tree) {
    if (typeof tree === "number") return () => tree;
    const [kind, ...rest] = tree;
    if (binary[kind]) {
        const f = binary[kind], a = compiled(rest[0]), b = compiled(rest[1]);
        return (site) => f(a(site), b(site));
    }
    const make = compilers[kind];
    if (!make) throw new Error(`an equation has the unknown part "${kind}"`);
    return make(...rest);
}

const compilers = {
    k: (value) => () => value,
    r: (n) => (site) => site.read(n),
    i: (axis) => (site) => site.place[axis],
    l: (n) => (site) => site.letters[n],
    n: () => (site) => site.terms(),
    neg(a) {
        const f = compiled(a);
        return (site) => -f(site);
    },
    f(name, ...trees) {
        const f = functionsByName[name], args = trees.map(compiled);
        if (!f) throw new Error(`an equation has the unknown function "${name}"`);
        return args.length === 1 ? (site) => f(args[0](site)) : (site) => f(args[0](site), args[1](site));
    },
    if (condition, a, b) {
        const test = compiled(condition), yes = compiled(a), no = compiled(b);
        return (site) => (test(site) ? yes(site) : no(site));
    },
    let (name, tree, body) {
        const value = compiled(tree), inside = compiled(body);
        return (site) => {
            site.names.set(name, value(site));
            return inside(site);
        };
    },
    ref: (name) => (site) => site.names.get(name),
    sum: (a, condition) => reduction(a, condition, 0, (x, y) => x + y),
    max: (a) => reduction(a, null, -Infinity, max),
    min: (a) => reduction(a, null, Infinity, min),
};

function reduction(tree, condition, start, combine) {
    const term = compiled(tree), test = condition ? compiled(condition) : () => true;
    return (site) => {
        let total = start;
        site.forEachTerm(() => {
            if (test(site)) total = combine(total, term(site));
        });
        return total;
    };
}
