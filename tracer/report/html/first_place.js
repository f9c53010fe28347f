// The number that a page opens at.
import {elementAt, parseAddress, tensorNamed} from "./address.js";
import {floor, max, min} from "./shape.js";

// Where two sides first differ, or the command says; else in the attention, or in the first step that a formula made.
export function firstPlace({comparison, trace, data}) {
    const {steps, opens, result} = data, apart = comparison?.firstStep();
    if (apart) return {tensor: apart.tensor, at: comparison.largestDifference(apart)};
    const seen = attentionOf({trace, data});
    if (seen?.isCross) return seen;
    const address = parseAddress("#" + (opens || result || "")), named = address ? tensorNamed(trace, address.name) : -1;
    if (named >= 0) return {tensor: named, at: elementAt(trace.shape(named), address.place) ?? 0};
    // Of a sentence, or behind a mask, the weights: the largest of its last word.
    const weights = steps.find(({kind, axes, hidden}) => kind === "weight" && (hidden !== undefined || axes?.at(-1)?.words));
    const {tensor} = weights || steps.find(({formula}) => formula) || steps[0] || {tensor: 0};
    return {tensor, at: weights ? strongest(trace, tensor) : 0};
}

// Of an answer the last attention: where its first number, or word, reads most.
export function attentionOf({trace, data: {steps, answer, opens}}) {
    const last = answer && steps.findLast(({path}) => path.endsWith("/attention"));
    if (!last) return null;
    const {tensor, path} = last, [rows, columns] = trace.shape(tensor).slice(-2), all = trace.all(tensor);
    const row = min(parseAddress("#" + opens)?.place?.at(-2) || 0, rows - 1);
    let at = row * columns;
    for (let i = at; i < all.length; ++i)
        if (floor(i / columns) % rows === row && all[i] > all[at]) at = i;
    return {tensor, at, isCross: path.includes("cross_attn")};
}

// The largest number of the last row.
function strongest(trace, tensor) {
    const [rows, columns] = trace.shape(tensor).slice(-2), end = rows * columns, row = trace.all(tensor).slice(end - columns, end);
    return end - columns + max(row.indexOf(max(...row)), 0);
}
