// A formula as a book sets it: symbols in their tensors' colours, single letters slanted, subscripts lowered.
import {make, name} from "./dom.js";
import {symbolPattern} from "./symbols.js";
import {visible} from "./text.js";

// open(tensor): called when a symbol is pressed; without it symbols are plain text.
export function formulaView(formula, meanings, symbols, open) {
    const line = make("span", "formula");
    let end = 0;
    for (const match of formula.matchAll(symbolPattern)) {
        line.append(visible(formula.slice(end, match.index)));
        end = match.index + match[0].length;
        const id = meanings.get(match[0]);
        const text = symbolText(match[0]);
        if (id === undefined) line.append(text);
        else if (!open) line.append(make("span", symbols.classOf(id), text));
        else
            line.append(make(
                "button", {class: "link " + symbols.classOf(id), type: "button", onclick: () => open(id)},
                text));
    }
    line.append(visible(formula.slice(end)));
    return line;
}

// d_k with its k below, W_Q,i and head_1; a word such as query_part stays one.
export function symbolText(symbol) {
    const match = /^([A-Za-zα-ωΑ-Ω]|head)_(\w{1,5}(?:,\w)?)$/.exec(symbol);
    if (match) return make(match[1][1] ? "span" : "var", {}, match[1], make("sub", {}, match[2]));
    return /^[A-Za-zα-ωΑ-Ω]\u0302?$/.test(symbol) ? make("var", {}, symbol) : name(visible(symbol));
}
