// What a calculator says to a line of arithmetic as it is printed: its numbers are rounded, those behind them are not.
import {binary} from "./equation.js";
import {height} from "./formula_text.js";
import {functionsByName} from "./functions.js";

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
