// What a calculator says to a line of arithmetic as it is printed: its numbers are rounded, those behind them are not.
import {binary} from "./equation.js";
import {height} from "./formula_text.js";
import {functionsByName} from "./functions.js";
import {shown} from "./numbers.js";
import {abs, max} from "./shape.js";

const read = (text) => (text.startsWith("√") ? Math.sqrt(read(text.slice(1))) : Number(text.replaceAll("−", "-").replace("∞", "Infinity")));

// writer: the FormulaWriter of the line. Of a sum that is shortened it is the sum itself.
export function asPrinted(tree, writer) {
    const of = (each) => asPrinted(each, writer), {kind, args, terms} = tree;
    if (height(tree) <= writer.level) return read(writer.number(tree)[0].text);
    if (kind === "inner") return of(tree.of);
    if (kind === "if") return of(tree.chosen);
    if (terms) {
        if (terms.length < tree.count) return tree.value;
        return terms.map(of).reduce(functionsByName[kind] || binary["+"]);
    }
    if (kind === "neg") return -of(args[0]);
    return (kind === "f" ? functionsByName[tree.name] : binary[kind])(...args.map(of));
}

// Whether all that a line works out of the one before it is what a calculator says to the digits there: of a sum, to the last one.
export function isCalculated(tree, before, after) {
    const of = (each) => isCalculated(each, before, after), {kind, terms} = tree;
    if (height(tree) > after.level)
        return tree.of ? of(tree.of) : tree.chosen ? of(tree.chosen) : (terms || tree.args).every(of);
    if (height(tree) < after.level) return true;
    const [from, to] = [before, after].map((writer) => asPrinted(tree, writer));
    const isSum = terms ? terms.length === tree.count : "+-".includes(kind);
    const written = (x) => shown(x, after.places, "float64");
    return isSum ? abs(from - to) <= 1e-9 * max(1, abs(to)) : written(from) === written(to);
}
