// What the axes of a tensor are, and the words along them: as the data says it, and of tokens and of the tables in which they
// are looked up as it follows from the steps that read them.
import {sourcesOf} from "./symbols.js";

// {tensor → axes}
export function axesByTensor(trace) {
    const all = new Map();
    for (const {tensor, axes} of trace.data.steps)
        if (axes) all.set(tensor, axes);
    for (const step of trace.data.steps)
        for (const source of step.axes ? sourcesOf(trace, step.tensor) : []) {
            const from = trace.stepOf.get(source), words = (step.axes.at(-2) || {}).words;
            const shape = trace.shape(source);
            if (from?.kind === "word" && !all.has(source) && words?.length === shape.at(-1))
                all.set(source, [...shape.slice(1).map(() => null), step.axes.at(-2)]);
        }
    for (const {reads} of trace.data.equations)
        for (const [table, , , , , by] of reads) {
            const tokens = by && trace.resolved({tensor: reads[by[0][0]][0], at: 0}).tensor, shape = trace.shape(table);
            if (!by || !all.has(tokens) || all.has(table) || shape.length !== 2) continue;
            const {words} = all.get(tokens).at(-1), ofRow = [];
            trace.all(tokens).forEach((id, at) => (ofRow[id] = `${id} ${words[at % words.length]}`));
            all.set(table, [{words: ofRow}, null]);
        }
    return all;
}
