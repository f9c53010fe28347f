// The parts of a step's columns that are steps of their own: Q, K and V of qkv, or those of each head.
import {lastPart} from "./labels.js";
import {placeOf} from "./shape.js";

const mostFollowed = 4096;  // numbers of such a step

// [{tensor, name, first, end}…] by their place
export function bandsOf(trace, tensor) {
    const columns = trace.shape(tensor).at(-1), found = [];
    for (const {path, tensor: part} of trace.data.steps) {
        const size = trace.size(part), heads = [];  // by column
        for (let at = 0; at < size && size <= mostFollowed; ++at) {
            let e = trace.below(part, at);
            while (e && e.tensor !== tensor && !trace.isNamed(e.tensor)) e = trace.below(e.tensor, e.at);
            if (!e || e.tensor !== tensor) break;
            heads[e.at % columns] = placeOf(trace.shape(part), at).at(-3);
        }
        const starts = Object.keys(heads).map(Number).filter((column) => !(column - 1 in heads));
        for (const first of starts) {
            let end = first;
            while (end in heads) ++end;
            found.push({tensor: part, name: lastPart(path) + (starts.length > 1 ? `[${heads[first]}]` : ""), first, end});
        }
    }
    found.sort((a, b) => a.first - b.first);
    return found.length > 1 && found.every(({first}, i) => !i || first >= found[i - 1].end) ? found : [];
}
