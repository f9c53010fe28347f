// The number that a page opens at.
import {elementAt, parseAddress, tensorNamed} from "./address.js";
import {max} from "./shape.js";

// Where two sides first differ, or the command says; else in the attention, or in the first step that a formula made.
export function firstPlace({comparison, trace, data}) {
    const {steps, opens, result} = data, apart = comparison?.firstStep();
    if (apart) return {tensor: apart.tensor, at: comparison.largestDifference(apart)};
    const address = parseAddress("#" + (opens || result || "")), named = address ? tensorNamed(trace, address.name) : -1;
    if (named >= 0) return {tensor: named, at: elementAt(trace.shape(named), address.place) ?? 0};
    // Of a sentence, or behind a mask, the weights: the largest of its last word.
    const weights = steps.find(({kind, axes, hidden}) => kind === "weight" && (hidden !== undefined || axes?.at(-1)?.words));
    const {tensor} = weights || steps.find(({formula}) => formula) || steps[0] || {tensor: 0};
    return {tensor, at: weights ? strongest(trace, tensor) : 0};
}

// The largest number of the last row.
function strongest(trace, tensor) {
    const [rows, columns] = trace.shape(tensor).slice(-2), end = rows * columns, row = trace.all(tensor).slice(end - columns, end);
    return end - columns + max(row.indexOf(max(...row)), 0);
}
