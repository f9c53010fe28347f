// Which numbers a number was made from, and which depend on it.
import {Site} from "./equation.js";
import {elementOf, max, min, placesThatReach, stridesOf} from "./shape.js";

const mostTerms = 4096;   // operands of one number that are lit
const mostUsers = 20000;  // numbers that depend on one that are lit
const longest = 100;      // milliseconds to look for them

// The numbers that the arithmetic of a number names, each once.
export function operandsOf(trace, element) {
    const found = new Map();
    const add = (e) => {
        if (found.size >= mostTerms) return;
        const to = trace.resolved(e), isOpen = !to.gradient && !trace.isNamed(to.tensor);
        const equation = trace.producer[to.tensor];
        if (isOpen && equation && equation.is !== null && equation.loops.length === 0)
            return fromEquation(equation, to.at);
        if (!isOpen || trace.shape(to.tensor).length > 0) found.set(keyOf(to), to);
    };
    const fromEquation = (equation, at) => {
        const site = new Site(trace, equation, at);
        equation.reads.forEach((read, n) => {
            if (equation.is === null) return;
            if (read[4].every((stride) => stride === 0) && !read[5]) return add(site.operand(n));
            site.forEachTerm(() => found.size < mostTerms && add(site.operand(n)));
        });
    };
    if (element.gradient) {
        for (const term of trace.gradientTerms(element.tensor, element.at)) {
            if (term.element) add(term.element);
            else if (term.equation) fromEquation(term.equation, term.at);
        }
        return [...found.values()];
    }
    const below = trace.below(element.tensor, element.at), equation = trace.producer[element.tensor];
    if (below) {
        const e = trace.resolved({...below, gradient: false});
        if (trace.isNamed(e.tensor) || !trace.producer[e.tensor]) add(e);
        else return operandsOf(trace, e);
    } else if (equation) {
        fromEquation(equation, element.at);
    }
    return [...found.values()];
}

export function keyOf({tensor, at, gradient}) { return (gradient ? "∂" : "") + tensor + ":" + at; }

// The numbers that are computed from an element by the next op: {tensor → Set of element numbers}. Views and
// values without a name are looked through. Gradients flow the other way.
export function usersOf(trace, {tensor, at, gradient}) {
    const users = new Map(), seen = new Set();
    let left = mostUsers;
    const readings = (readers, element) => {
        for (const {equation, n} of readers)
            for (const place of readersOf(trace, equation, n, element, max(left, 0)))
                arrive(equation.of, place);
    };
    const reach = (id, element) => {
        if (gradient) {
            const below = trace.below(id, element);
            if (below) arrive(below.tensor, below.at);
            return readings(trace.gradientReaders[id], element);
        }
        for (const viewer of trace.viewers[id])
            for (const place of trace.placesInView(viewer, id, element, max(left, 0)))
                arrive(viewer.tensor, place);
        readings(trace.readers[id], element);
    };
    const arrive = (id, element) => {
        const key = id + ":" + element;
        if (left <= 0 || seen.has(key)) return;
        seen.add(key);
        --left;
        if (!trace.isNamed(id)) return reach(id, element);
        if (!users.has(id)) users.set(id, new Set());
        users.get(id).add(element);
    };
    reach(tensor, at);
    return users;
}

// The numbers that an equation computes by reading this element as its nth operand.
function readersOf(trace, equation, n, element, limit) {
    const shape = trace.shape(equation.of), [, , base, byPlace, byLetter, gathers] = equation.reads[n];
    if (gathers) return gatherersOf(trace, equation, n, element, limit);
    const sizes = [...shape, ...equation.loops], strides = [...byPlace, ...byLetter];
    // A loop that does not move the read would only repeat its places.
    const kept =
        sizes.map((size, axis) => (axis >= shape.length && strides[axis] === 0 ? min(size, 1) : size));
    const own = stridesOf(shape), found = new Set();
    for (const place of placesThatReach(element - base, kept, strides, limit))
        found.add(elementOf(shape, place.slice(0, own.length)));
    return found;
}

// Where a number decides which element is read, every place is asked.
function gatherersOf(trace, equation, n, element, limit) {
    const size = trace.size(equation.of), found = new Set();
    for (let at = 0; at < size && at < limit; ++at) {
        const site = new Site(trace, equation, at);
        site.forEachTerm(() => site.operand(n).at === element && found.add(at));
    }
    return found;
}

// All that depends on an element, step after step, up to a limit of numbers and of time.
export function allUsersOf(trace, element) {
    const all = new Map(), queue = [element];
    const end = performance.now() + longest;
    let left = mostUsers;
    for (let i = 0; i < queue.length && left > 0 && performance.now() < end; ++i)
        for (const [id, elements] of usersOf(trace, queue[i])) {
            if (!all.has(id)) all.set(id, new Set());
            const known = all.get(id);
            for (const at of elements) {
                if (known.has(at) || left-- <= 0) continue;
                known.add(at);
                queue.push({tensor: id, at, gradient: element.gradient});
            }
        }
    return all;
}
