// The whole arithmetic of one number: a line of symbols, what its letters stand for, and the numbers, worked
// out step by step.
import {asPrinted, isCalculated} from "./as_printed.js";
import {FormulaWriter, height} from "./formula_text.js";
import {shown} from "./numbers.js";
import {TreeBuilder, writtenTerms} from "./term_tree.js";

export const lineText = (tokens) => tokens.map((each) => each.text).join("");

// {label, value, symbols, where, notes, lines, says}: each line an array of tokens, `says` a sentence instead
// of arithmetic ("an input"). `unfolded`: how many terms of a long sum are written.
export function arithmeticOf(trace, element, labels, unfolded = 0) {
    const result = {
        label: labels.label(element),
        value: trace.number(element),
        symbols: [],
        where: [],
        notes: [],
        lines: [],
        says: ""
    };
    const builder = new TreeBuilder(labels, unfolded);
    const tree = element.gradient ? gradientTree(trace, element, builder, result)
                                  : valueTree(trace, element, builder, result);
    if (tree) write(tree, builder, labels, result);
    return result;
}

function valueTree(trace, element, builder, result) {
    const {tensor, at} = element, below = trace.below(tensor, at);
    if (below) {
        const e = trace.resolved({...below, gradient: false});
        if (trace.isNamed(e.tensor) || !trace.producer[e.tensor]) {
            result.says = "the same number as";
            return builder.ofElement(e, {nested: 0, isInSum: false});
        }
        return valueTree(trace, e, builder, result);
    }
    const equation = trace.producer[tensor];
    if (equation && equation.is !== null) return builder.ofEquation(equation, at);
    const {kind, op} = trace.tensors[tensor];
    if (equation || op) return opaque(trace, equation, op || equation.op, builder, result);
    const isParameter = kind === "parameter" || trace.parameterOf.has(tensor);
    result.says = isParameter ? "a parameter" : kind === "constant" ? "a constant" : "an input";
    return null;
}

// An op that has no formula: only what it was computed from is named.
function opaque(trace, equation, op, builder, result) {
    const from =
        new Set((equation ? equation.reads : []).map(([tensor]) => trace.resolved({tensor, at: 0}).tensor));
    const names = [...from].map((id) => builder.labels.name(id));
    result.says = `computed by ${op}` + (names.length ? ` from ${names.join(", ")}` : "");
    return null;
}

function gradientTree(trace, {tensor, at}, builder, result) {
    const terms = trace.gradientTerms(tensor, at);
    if (terms.length === 0) {
        result.says = "L does not depend on it";
        return null;
    }
    if (terms.length === 1 && terms[0].seed === 1) result.says = "L itself";
    if (terms.some((each) => each.equation && each.equation.is === null)) {
        result.says = `computed by the gradient of ${terms.find((each) => each.equation).equation.op}`;
        return null;
    }
    const treeOf = (term) => {
        if (term.seed !== undefined) return {kind: "number", value: term.seed};
        if (term.element) return builder.ofElement(term.element, {nested: 0, isInSum: false});
        return builder.ofEquation(term.equation, term.at);
    };
    const written = writtenTerms(terms.length, builder.unfolded).map((i) => treeOf(terms[i]));
    if (terms.length === 1) return written[0];
    const value = terms.reduce((sum, each) => sum + trace.termOfGradient(each), 0);
    return {kind: "plus", terms: written, count: terms.length, value};
}

function write(tree, builder, labels, result) {
    const symbols = new FormulaWriter(labels, null), numbers = new FormulaWriter(labels, 0);
    result.symbols = symbols.write(tree);
    result.worked = tree.value;
    result.where = builder.where.map(({name, tree: bound}) => whereLine(name, bound, labels));
    result.notes = builder.notes.map(({condition, holds}) => {
        const reason = [{text: "because "}, ...symbols.condition(condition, holds)];
        const says = condition.kind === "eq" && holds;  // that is its number already
        return says ? reason : [...reason, {text: ": "}, ...numbers.condition(condition, holds)];
    });
    result.lines = reduced(tree, labels);
}

// All lines of numbers, down to the one number; each says something new.
function reduced(tree, labels) {
    const lines = [];
    for (let level = 0; level <= height(tree); ++level) {
        const writer = new FormulaWriter(labels, level), line = writer.write(tree);
        const before = lines.at(-1);
        line.printed = shown(asPrinted(tree, writer), labels.places, "float64");
        if (before && lineText(line) === lineText(before)) continue;
        if (level && !isCalculated(tree, new FormulaWriter(labels, level - 1), writer)) line.isAbout = before;
        lines.push(line);
    }
    return lines;
}

// Behind a line whose numbers, as they are printed, give other digits stands no "=".
export const signBetween = (before, after) =>
    (before && before.printed && (before.printed !== after.printed || after.isAbout === before) ? "≈" : "=");

function whereLine(name, tree, labels) {
    const lines = reduced(tree, labels);
    const symbols = new FormulaWriter(labels, null).write(tree);
    const shownLines = [symbols, ...(lines.length > 2 ? [lines[0], lines.at(-1)] : lines)].filter((line, i) => !i || lineText(line) !== lineText(symbols));
    return [{text: name, isName: true}, ...shownLines.flatMap((line, i) => [{text: ` ${signBetween(shownLines[i - 1], line)} `}, ...line])];
}
