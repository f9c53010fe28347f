// A tree of terms as a line of tokens: in symbols, or in numbers with what is already worked out. A token is
// {text} and perhaps {element} (a link), {value} (the exact number it stands for) or {more} (terms left out).
import {brief, shown} from "./numbers.js";
import {max} from "./shape.js";

const binding = {
    "+": 1,
    "-": 1,
    sum: 1,
    "*": 2,
    "/": 2,
    neg: 1
};  // others bind like a name
const signs = {
    "+": " + ",
    "-": " − ",
    "*": " · ",
    "/": " / "
};

// How many operations deep a part is. What is no deeper than a line has been worked out on it.
export function height(tree) {
    if (tree.height !== undefined) return tree.height;
    return (tree.height = heightOf(tree));
}

function heightOf(tree) {
    const highest = (trees) => trees.reduce((most, each) => max(most, height(each)), 0);
    if (tree.kind === "inner") return height(tree.of);
    if (tree.kind === "if") return height(tree.chosen);
    if (tree.terms) return highest(tree.terms) + (tree.count === 1 && tree.kind === "sum" ? 0 : 1);
    if (tree.kind === "neg" && height(tree.args[0]) === 0) return 0;
    return tree.args ? highest(tree.args) + 1 : 0;
}

// Whether it is computed from places alone, as t and i of a wave: such a number is whole.
const isPlain = ({kind, name, of, args}) => kind === "number" ||
    (of ? isPlain(of) : !!args && (kind !== "f" || name === "floor") && args.every(isPlain));
const isPlace = (tree) => Number.isInteger(tree.value) && isPlain(tree);

export class FormulaWriter {
    // level: null for symbols, else the number of operations worked out
    constructor(labels, level) {
        this.places = labels.places;
        this.real = labels.trace.real;
        this.level = level;
    }

    get isSymbols() { return this.level === null; }

    write(tree) {
        if (!this.isSymbols && height(tree) <= this.level) return this.number(tree);
        return (this[tree.kind] || this.operation).call(this, tree);
    }

    // A part that has been worked out, or an operand.
    number(tree) {
        if (tree.kind === "inner") return this.number({kind: "", element: tree.element, value: tree.value});
        if (tree.kind === "if") return this.number(tree.chosen);
        if (tree.terms?.length === 1 && height(tree) === 0) return this.number(tree.terms[0]);
        if (this.isSymbols && tree.name) return [{text: tree.name, isName: true}];
        const {element, value} = tree;
        const isGiven = tree.kind === "number" || tree.kind === "named";
        const text = tree.text ||
            (tree.kind !== "number" && isPlace(tree) ? String(value).replace("-", "−") : tree.kind === "number" ? brief(value, max(this.places, 6))
                                    : shown(value, this.places, element ? this.real : "float64"));
        return [{text, value, element, isConstant: isGiven && tree.kind === "number"}];
    }

    element(tree) {
        return this.isSymbols ? [{text: tree.label, element: tree.element, isLabel: true}]
                              : this.number(tree);
    }

    named(tree) { return this.isSymbols ? [{text: tree.name, isName: true}] : this.number(tree); }

    inner(tree) { return this.write(tree.of); }

    if(tree) {
        if (!this.isSymbols || !tree.isInSum) return this.write(tree.chosen);
        const yes = tree.holds ? tree.chosen : tree.other, no = tree.holds ? tree.other : tree.chosen;
        return [
            {text: "("}, ...this.write(yes), {text: " if "}, ...this.condition(tree.condition, true),
            {text: ", else "}, ...this.write(no), {text: ")"}
        ];
    }

    condition({kind, args}, holds) {
        const sign = {"eq": [" = ", " ≠ "], ">": [" > ", " ≤ "], "<": [" < ", " ≥ "]}[kind][holds ? 0 : 1];
        return [...this.write(args[0]), {text: sign}, ...this.write(args[1])];
    }

    neg(tree) { return [{text: "−"}, ...this.enclosed(tree.args[0], 2)]; }

    f(tree) {
        const {name, args} = tree,
                     inside = () =>
                         args.flatMap((each, i) => [...(i ? [{text: ", "}] : []), ...this.write(each)]);
        if (name === "square") return [...this.enclosed(args[0], 3, true), {text: "²"}];
        if (name === "sqrt") return [{text: "√"}, ...this.enclosed(args[0], 3)];
        if (name === "pow")
            return [...this.enclosed(args[0], 3, true), {text: "^"}, ...this.enclosed(args[1], 3, true)];
        if (name === "floor") return [{text: "⌊"}, ...inside(), {text: "⌋"}];
        if (name === "abs") return [{text: "|"}, ...inside(), {text: "|"}];
        return [{text: name === "relu" ? "max(0, " : name + "("}, ...inside(), {text: ")"}];
    }

    sum(tree) {
        if (tree.count === 0) return [{text: this.isSymbols ? "an empty sum" : "0", value: 0}];
        if (this.isSymbols && tree.count > 1) return this.pattern("Σ", tree);
        if (tree.count === 1) return this.write(this.isSymbols ? tree.pattern : tree.terms[0]);
        return this.separated(
            tree, (term, isFirst) => (isFirst ? this.write(term) : this.added(term)), " + ");
    }

    max(tree) { return this.extreme(tree); }

    min(tree) { return this.extreme(tree); }

    extreme(tree) {
        if (this.isSymbols) return this.pattern(tree.kind, tree);
        const list = (term, isFirst) => [...(isFirst ? [] : [{text: ", "}]), ...this.write(term)];
        return [{text: tree.kind + "("}, ...this.separated(tree, list, ", "), {text: ")"}];
    }

    pattern(sign, tree) {
        const under = [{text: sign, isSum: true}, {text: "_" + tree.letters.join(""), isUnder: true}];
        if (tree.condition)
            under.push({text: " where "}, ...this.condition(tree.condition, true), {text: ":"});
        return [...under, {text: " "}, ...this.enclosed(tree.pattern, 2)];
    }

    separated(tree, write, separator) {
        const tokens = [], missing = tree.count - tree.terms.length;
        tree.terms.forEach((term, i) => {
            const isLast = i === tree.terms.length - 1;
            if (missing > 0 && isLast)
                tokens.push({text: separator}, {text: `… (${missing} more) …`, more: missing});
            tokens.push(...write(term, i === 0));
        });
        return tokens;
    }

    // A term with its sign: what is worked out and negative is taken away.
    added(term) {
        const tokens = this.write(term), only = tokens.length === 1 ? tokens[0] : null;
        if (only?.value < 0 && !only.element)
            return [{text: " − "}, {...only, text: only.text.replace(/^−/, "")}];
        return [{text: " + "}, ...this.bracketed(tokens)];
    }

    operation(tree) {
        const {kind, args: [a, b]} = tree;
        if (kind === "plus") return this.plus(tree);
        if (kind === "+") return [...this.write(a), ...this.added(b)];
        const sign = kind === "*" && height(a) + height(b) === 0 ? "·" : signs[kind];
        if (this.isOverSum(tree)) return [...this.enclosed(a, 2), {text: sign}, ...this.write(b)];
        return [
            ...this.enclosed(a, binding[kind]), {text: sign},
            ...this.enclosed(b, kind === "-" || kind === "/" ? binding[kind] + 1 : binding[kind], true)
        ];
    }

    // exp(x) / Σ_j exp(x) needs no brackets where nothing follows it.
    isOverSum({kind, args}) {
        return this.isSymbols && kind === "/" && args[1].kind === "sum" && args[1].count > 1;
    }

    // The contributions to a gradient.
    plus(tree) {
        return this.separated(
            tree, (term, isFirst) => (isFirst ? this.write(term) : this.added(term)), " + ");
    }

    // In brackets where it binds less than it must, or where a minus would follow a sign.
    enclosed(tree, least, follows = false) {
        const tokens = this.write(tree);
        if (tokens.length === 1) return follows ? this.bracketed(tokens) : tokens;
        return this.strength(tree) < least ? [{text: "("}, ...tokens, {text: ")"}] : tokens;
    }

    bracketed(tokens) {
        const [first, ...rest] = tokens;
        return /^−./.test(first.text) ? [{text: "("}, first, {text: ")"}, ...rest] : tokens;
    }

    strength(tree) {
        if (tree.kind === "inner") return this.strength(tree.of);
        if (tree.kind === "if") return tree.isInSum && this.isSymbols ? 3 : this.strength(tree.chosen);
        if (tree.kind === "sum" && tree.count === 1)
            return this.strength(this.isSymbols ? tree.pattern : tree.terms[0]);
        if (tree.kind === "sum" && tree.count === 0) return 3;
        if (tree.kind === "plus" || this.isOverSum(tree)) return 1;
        return binding[tree.kind] || 3;
    }
}
