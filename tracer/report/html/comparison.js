// Two sides of one calculation: another pass beside this one, or another page's trace. Steps are matched by
// path.

import {shown} from "./numbers.js";
import {abs, max} from "./shape.js";

const mostPlaces = 9;       // decimals: float32 has no more
const mostCompared = 5000;  // numbers that the decimals of a step follow from

// Whether two numbers differ by more than rounding, as the command says it.
export function differs(a, b, tolerance = 1e-6) {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) !== Number.isNaN(b);
    if (!Number.isFinite(a) || !Number.isFinite(b)) return a !== b;
    return !(abs(a - b) <= tolerance * max(1, abs(a)));
}

// The first character in which a written number differs from another of the same form; 0 of another form.
export function apartFrom(text, other) {
    let at = 0;
    while (at < text.length && text[at] === other[at]) ++at;
    return text.length === other.length ? at : 0;
}

export class Comparison {
    // right: the other trace, or null where the steps themselves hold the other side's numbers
    constructor(left, right, names) {
        this.left = left;
        this.right = right;
        this.names = names ||
            {left: left.data.convention || "left", right: right ? right.data.convention || "right" : "right"};
        this.tolerance = left.data.tolerance;
        this.first = new Map();
        this.places = new Map();
    }

    otherTensor(step) {
        const other = this.right?.data.steps.find(({path}) => path === step.path);
        return other ? other.tensor : -1;
    }

    has(step) {
        if (!step) return false;
        if (!this.right) return step.right !== undefined;
        const other = this.otherTensor(step);
        return other >= 0 && String(this.right.shape(other)) === String(this.left.shape(step.tensor));
    }

    // The other side's number; of a step that is the same on both sides, its own.
    rightValue(step, at) {
        if (!this.has(step)) return this.left.value(step.tensor, at);
        return this.right ? this.right.value(this.otherTensor(step), at)
                          : this.left.stored(step, "right")[at];
    }

    difference(step, at) { return this.rightValue(step, at) - this.left.value(step.tensor, at); }

    differsAt(step, at) {
        return differs(this.left.value(step.tensor, at), this.rightValue(step, at), this.tolerance);
    }

    // How many decimals it takes, at least `least`, until numbers that differ are written differently.
    placesOf(step, least) {
        const key = step.path + ":" + least, {left} = this;
        if (!this.places.has(key)) {
            let places = least, count = mostCompared;
            for (let at = 0; at < left.size(step.tensor) && count > 0; ++at) {
                if (!this.differsAt(step, at)) continue;
                --count;
                const written = (x) => shown(x, places, left.real);
                while (places < mostPlaces &&
                       written(left.value(step.tensor, at)) === written(this.rightValue(step, at)))
                    ++places;
            }
            this.places.set(key, places);
        }
        return this.places.get(key);
    }

    // The element number where the sides first differ, or −1.
    firstDifference(step) {
        if (!this.has(step)) return -1;
        if (!this.first.has(step)) {
            let at = 0;
            const size = this.left.size(step.tensor);
            while (at < size && !this.differsAt(step, at)) ++at;
            this.first.set(step, at < size ? at : -1);
        }
        return this.first.get(step);
    }

    // The element number where the difference, right − left, is largest.
    largestDifference(step) {
        let most = 0, found = 0;
        for (let at = 0; at < this.left.size(step.tensor); ++at) {
            if (!this.differsAt(step, at)) continue;
            const apart = abs(this.difference(step, at));
            if (Number.isNaN(apart)) return at;
            if (apart > most) [most, found] = [apart, at];
        }
        return found;
    }

    firstStep() { return this.left.data.steps.find((step) => this.firstDifference(step) >= 0) || null; }
}
