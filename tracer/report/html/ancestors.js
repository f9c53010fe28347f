// All numbers that a number was made from, back to the inputs, and how far each is: over how many named steps.
import {Site} from "./equation.js";
import {dot, forEachPlace, min, placeOf} from "./shape.js";

const mostAncestors = 8e6;

export const tensorKey = (tensor, gradient) => (gradient ? "∂" : "") + tensor;

// Fills `found`, {key of a tensor → its numbers' distances, 0 where not reached}, and stops at each yield. Numbers are
// taken together, a tensor at a time: those of one row of a product share what they were made from.
export function* ancestorsOf(trace, element, found) {
    let left = mostAncestors, level = [[element.tensor, !!element.gradient, [element.at]]];
    for (let distance = 1; level.length > 0 && left > 0; ++distance) {
        const next = new Map();
        while (level.length > 0 && left > 0) {
            for (const [tensor, gradient, elements] of sourcesOfAll(trace, ...level.pop())) {
                const key = tensorKey(tensor, gradient);
                if (!found.has(key)) found.set(key, new Uint8Array(trace.size(tensor)));
                const distances = found.get(key), fresh = [];
                for (const at of elements) {
                    if (distances[at]) continue;
                    distances[at] = min(distance, 255);
                    fresh.push(at);
                }
                left -= fresh.length;
                if (fresh.length === 0) continue;
                if (!trace.isNamed(tensor)) level.push([tensor, gradient, fresh]);
                else if (next.has(key)) fresh.forEach((at) => next.get(key)[2].push(at));
                else next.set(key, [tensor, gradient, fresh]);
            }
            yield;
        }
        level = [...next.values()];
    }
}

// [tensor, gradient, elements] of what the next op read to compute these numbers.
function* sourcesOfAll(trace, tensor, gradient, elements) {
    const {view, parts} = trace.tensors[tensor];
    if (gradient) {
        for (const equation of trace.contributions[tensor]) yield* readsOfAll(trace, equation, elements);
        for (const viewer of trace.viewers[tensor])
            yield [viewer.tensor, true, elements.flatMap((at) => trace.placesInView(viewer, tensor, at))];
    } else if (view || parts) {
        const below = new Map();
        for (const at of elements) {
            const to = trace.below(tensor, at);
            if (!below.has(to.tensor)) below.set(to.tensor, []);
            below.get(to.tensor).push(to.at);
        }
        for (const [id, all] of below) yield [id, false, all];
    } else if (trace.producer[tensor]) {
        yield* readsOfAll(trace, trace.producer[tensor], elements);
    }
}

function* readsOfAll(trace, equation, elements) {
    if (equation.is === null) return;
    const shape = trace.shape(equation.of);
    for (const [n, [tensor, what, base, byPlace, byLetter, gathers]] of equation.reads.entries()) {
        const read = new Set();
        if (gathers) {
            for (const at of elements) {
                const site = new Site(trace, equation, at);
                site.forEachTerm(() => read.add(site.operand(n).at));
            }
        } else {
            const starts = new Set(elements.map((at) => base + dot(byPlace, placeOf(shape, at))));
            // A loop that does not move the read would only repeat it.
            const loops = equation.loops.map((size, i) => (byLetter[i] === 0 ? min(size, 1) : size)), letters = loops.map(() => 0);
            forEachPlace(loops, letters, () => {
                const by = dot(byLetter, letters);
                for (const start of starts) read.add(start + by);
            });
        }
        yield [tensor, what === 1, read];
    }
}
