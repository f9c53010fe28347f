// The arithmetic of one number as a tree: an equation's syntax at one place, each part with its value. A read
// of a value without a name becomes the tree that computed it, so that a · (b + c) is one formula.
import {compiled, Site} from "./equation.js";
import {runningLabel} from "./labels.js";
import {max, placeOf} from "./shape.js";

export const fewTerms = 8;  // longer sums are shortened in the middle
const maxNested = 4;        // unnamed values that one formula may nest: as many as Adam's update does

// The numbers of the terms that are written: all, or the first and the last ones.
export function writtenTerms(count, unfolded = 0) {
    const most = max(fewTerms, unfolded);
    const indices = [];
    for (let i = 0; i < count; ++i) {
        if (count > most && i === most - 2) i = count - 1;
        indices.push(i);
    }
    return indices;
}

export class TreeBuilder {
    constructor(labels, unfolded) {
        this.labels = labels;
        this.trace = labels.trace;
        this.unfolded = unfolded;
        this.where = [];  // what "let" names: {name, tree}
        this.notes = [];  // why a branch was taken
    }

    ofEquation(equation, at, nested = 0, running = null) {
        const c = {
            site: new Site(this.trace, equation, at),
            names: new Map(),
            nested,
            running,
            isInSum: running !== null
        };
        return this.build(this.trace.data.expressions[equation.is], c);
    }

    build(tree, c) {
        if (typeof tree === "number") return {kind: "number", value: tree};
        const [kind, ...rest] = tree;
        if (builders[kind]) return builders[kind](this, c, ...rest);
        const args = rest.map((each) => this.build(each, c));
        return {kind, args, value: compiled(tree.slice(0, 1).concat(args.map((each) => each.value)))(c.site)};
    }

    ofElement(element, c) {
        const {trace, labels} = this, e = trace.resolved(element);
        const equation = trace.producer[e.tensor];
        const isOpen = !e.gradient && !trace.isNamed(e.tensor) && equation && equation.is !== null;
        if (isOpen && equation.loops.length === 0 && c.nested < maxNested) {
            const of = this.ofEquation(equation, e.at, c.nested + 1, this.runningWithin(equation, c));
            return {kind: "inner", of, element: e, value: trace.number(e)};
        }
        if (labels.isConstant(e)) return {kind: "number", value: trace.number(e), text: labels.constant(e)};
        return {kind: "element", element: e, label: this.labelOf(e, c), value: trace.number(e)};
    }

    // In the pattern of a sum, where letters run: the site of the first term, and for each letter of the next
    // and last.
    running(site) {
        const at = (letter, value) => {
            const other = new Site(this.trace, site.equation, 0);
            other.place = site.place;
            if (value) other.letters[letter] = value;
            return other;
        };
        const {loops, letters} = site.equation;
        return {
            first: at(0, 0),
            moved: loops.map((size, n) => (size > 1 ? {next: at(n, 1), last: at(n, size - 1)} : null)),
            letters
        };
    }

    // The same for an equation that is written inside another.
    runningWithin(equation, c) {
        if (!c.running || c.reading === undefined) return null;
        const inside = (site) => {
            const e = this.trace.resolved(site.operand(c.reading));
            return e.tensor === equation.of ? new Site(this.trace, equation, e.at) : null;
        };
        const {first, moved, letters} = eachSite(c.running, inside);
        return first && {first, moved: moved.map((to) => (to?.next && to.last ? to : null)), letters};
    }

    labelOf(e, c) {
        if (!c.running || c.reading === undefined) return this.labels.label(e);
        const {first, moved, letters} =
            eachSite(c.running, (site) => this.trace.resolved(site.operand(c.reading)));
        return runningLabel(this.labels, first, moved, letters);
    }

    // A sum, or the largest or smallest of the terms. Only the written ones become trees.
    reduction(kind, c, body, condition) {
        const {site} = c, test = condition ? compiled(condition) : null;
        const inside = {...c, isInSum: true}, kept = [];
        if (test) site.forEachTerm(() => this.inside(c, () => test(site)) && kept.push(site.letters.slice()));
        const count = test ? kept.length : site.terms(),
              lettersOf = (i) => (test ? kept[i] : placeOf(site.equation.loops, i));
        const at = (letters, running = null) => {
            letters.forEach((value, n) => (site.letters[n] = value));
            const term = this.build(body, {...inside, running});
            site.letters.fill(0);
            return term;
        };
        const terms = writtenTerms(count, this.unfolded).map((i) => at(lettersOf(i)));
        const pattern = at(count ? lettersOf(0) : site.letters.slice(), this.running(site));
        const value = this.inside(c, () => compiled([kind, body, ...(condition ? [condition] : [])])(site));
        const loops = site.equation.letters.filter((_, n) => site.equation.loops[n] > 1);
        return {
            kind,
            letters: loops,
            pattern,
            terms,
            count,
            value,
            condition: condition ? this.condition(condition, {...inside, running: this.running(site)}) : null
        };
    }

    // Evaluates with the names that are bound here.
    inside(c, f) {
        for (const [name, {value}] of c.names) c.site.names.set(name, value);
        return f();
    }

    condition([kind, a, b], c) { return {kind, args: [this.build(a, c), this.build(b, c)]}; }

    freshName(name, value) {
        let fresh = name;
        while (this.where.some((each) => each.name === fresh && each.tree.value !== value)) fresh += "′";
        return fresh;
    }
}

const eachSite = ({first, moved, letters}, f) =>
    ({first: f(first), moved: moved.map((to) => to && {next: f(to.next), last: f(to.last)}), letters});

const builders = {
    k: (builder, c, value, name) => ({kind: "number", value, text: undefined, name}),
    r: (builder, c, n) => builder.ofElement(c.site.operand(n), {...c, reading: n}),
    i: (builder, c, axis) => ({kind: "number", value: c.site.place[axis]}),
    l: (builder, c, n) => (
        {kind: "number", value: c.site.letters[n], name: c.isInSum ? c.site.equation.letters[n] : undefined}),
    n: (builder, c) => ({kind: "number", value: c.site.terms()}),
    neg(builder, c, a) {
        const arg = builder.build(a, c);
        return {kind: "neg", args: [arg], value: -arg.value};
    },
    f(builder, c, name, ...trees) {
        const args = trees.map((each) => builder.build(each, c));
        const value = compiled(["f", name, ...args.map((each) => each.value)])(c.site);
        return {kind: "f", name, args, value};
    },
    sum: (builder, c, body, condition) => builder.reduction("sum", c, body, condition),
    max: (builder, c, body) => builder.reduction("max", c, body),
    min: (builder, c, body) => builder.reduction("min", c, body),
    if (builder, c, condition, a, b) {
        const holds = builder.inside(c, () => compiled(condition)(c.site));
        const chosen = builder.build(holds ? a : b, c), shown = builder.condition(condition, c);
        if (!c.isInSum) builder.notes.push({condition: shown, holds});
        return {
            kind: "if",
            condition: shown,
            holds,
            chosen,
            other: builder.build(holds ? b : a, c),
            value: chosen.value,
            isInSum: c.isInSum
        };
    },
    let (builder, c, name, tree, body) {
        const bound = builder.build(tree, c);
        if (c.isInSum) return builder.build(body, {...c, names: new Map(c.names).set(name, bound)});
        const fresh = builder.freshName(name, bound.value);
        if (!builder.where.some((each) => each.name === fresh))
            builder.where.push({name: fresh, tree: bound});
        const named = {kind: "named", name: fresh, value: bound.value, of: bound};
        return builder.build(body, {...c, names: new Map(c.names).set(name, named)});
    },
    ref: (builder, c, name) => c.names.get(name),
};
