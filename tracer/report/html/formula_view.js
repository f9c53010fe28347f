// A formula as a book sets it: symbols in their tensors' colours, single letters slanted, subscripts lowered.
import {make, name} from "./dom.js";
import {symbolPattern} from "./symbols.js";
import {visible} from "./text.js";

// open(tensor): called when a symbol is pressed; without it symbols are plain text.
export function formulaView(formula, meanings, symbols, open) {
    const line = make("span", "formula");
    let end = 0;
    for (const match of formula.matchAll(symbolPattern)) {
        const before = formula.slice(end, match.index), isRoot = before.endsWith("√");
        line.append(visible(isRoot ? before.slice(0, -1) : before));
        end = match.index + match[0].length;
        const id = meanings.get(match[0]), text = symbolText(match[0]);
        const symbol = id === undefined ? text : !open ? make("span", symbols.classOf(id), text)
            : make("button", {class: "link " + symbols.classOf(id), onclick: () => open(id)}, text);
        line.append(isRoot ? rootOf(symbol) : symbol);
    }
    line.append(visible(formula.slice(end)));
    return line;
}

// With the line over what it is the root of.
export function rootOf(...inside) { return make("span", "root", "√", make("span", {}, inside)); }

const inProse = /(√?)(?<![\w.])([A-Za-z]_[A-Za-z]{1,5}|(?<=√)[\wα-ω]\u0302?)(?![\w.]\w)/g;

// A sentence in which symbols such as d_k and √d_k are set as in a formula.
export function prose(text) {
    const line = make("bdi");
    let end = 0;
    for (const {0: all, 1: root, 2: symbol, index} of text.matchAll(inProse)) {
        line.append(name(visible(text.slice(end, index))), root ? rootOf(symbolText(symbol)) : symbolText(symbol));
        end = index + all.length;
    }
    line.append(name(visible(text.slice(end))));
    return line;
}

// d_k with its k below, W_Q,i and head_1; a word such as query_part stays one.
export function symbolText(symbol) {
    const match = /^([A-Za-zα-ωΑ-Ω]|head)_(\w{1,5}(?:,\w)?)$/.exec(symbol);
    if (match) return make(match[1][1] ? "span" : "var", {}, match[1], make("sub", {}, match[2]));
    return /^[A-Za-zα-ωΑ-Ω]\u0302?$/.test(symbol) ? make("var", {}, symbol) : name(visible(symbol));
}
