// Two sides of one calculation: another pass beside this one, or another page's trace. Steps are matched by
// path.

// Whether two numbers differ by more than rounding, as `tracer --diff` says it for single precision.
export function differs(a, b) {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) !== Number.isNaN(b);
    if (!Number.isFinite(a) || !Number.isFinite(b)) return a !== b;
    return !(Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a)));
}

export class Comparison {
    // right: the other trace, or null where the steps themselves hold the other side's numbers
    constructor(left, right, names) {
        this.left = left;
        this.right = right;
        this.names = names ||
            {left: left.data.convention || "left", right: right ? right.data.convention || "right" : "right"};
        this.first = new Map();
    }

    otherTensor(step) {
        const other = this.right && this.right.data.steps.find(({path}) => path === step.path);
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

    // The element number where the sides first differ, or −1.
    firstDifference(step) {
        if (!this.has(step)) return -1;
        if (!this.first.has(step)) {
            let at = 0;
            const size = this.left.size(step.tensor);
            while (at < size && !differs(this.left.value(step.tensor, at), this.rightValue(step, at))) ++at;
            this.first.set(step, at < size ? at : -1);
        }
        return this.first.get(step);
    }

    // The element number where the sides differ most, of numbers beyond 1 in proportion.
    largestDifference(step) {
        let most = 0, found = 0;
        for (let at = 0; at < this.left.size(step.tensor); ++at) {
            const own = this.left.value(step.tensor, at), other = this.rightValue(step, at);
            if (!differs(own, other)) continue;
            const apart = Math.abs(own - other) / Math.max(1, Math.abs(own));
            if (Number.isNaN(apart)) return at;
            if (apart > most) [most, found] = [apart, at];
        }
        return found;
    }

    firstStep() { return this.left.data.steps.find((step) => this.firstDifference(step) >= 0) || null; }
}
