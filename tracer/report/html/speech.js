// Arithmetic as one sentence, to be heard.
import {lineText} from "./arithmetic.js";

const words = [
    [/∂L\/∂/g, "the gradient of "],
    [/Σ_(\w+) /g, "the sum over $1 of "],
    [/(max|min)_(\w+) /g, "the $1 over $2 of "],
    [/ ?· ?/g, " times "],
    [/ \/ /g, " divided by "],
    [/√/g, "the square root of "],
    [/²/g, " squared"],
    [/ − /g, " minus "],
    [/−/g, "minus "],
    [/ \+ /g, " plus "],
    [/ = /g, " is "],
    [/≠/g, "is not"],
    [/\[([\d,]+)\]/g, (_, place) => " at " + place.split(",").join(", ")],
    [/\s+/g, " "],
];

export function spoken(text) {
    return words.reduce((said, [from, to]) => said.replace(from, to), text).trim();
}

export function sentenceOf(arithmetic, value) {
    const {label, symbols, says, where, notes, lines} = arithmetic;
    const from = [says, spoken(lineText(symbols))].filter(Boolean).join(" ");
    const parts = [`${spoken(label)} is ${from || spoken(value)}`];
    for (const line of [...where, ...notes]) parts.push(spoken(lineText(line)));
    const first = lines.length > 1 ? spoken(lineText(lines[0])) + ", " : "";
    return `${parts.join("; ")}: ${first}which is ${spoken(value)}.`.replace(": which is", ", which is");
}
