// The names of numbers in a formula: Q[0,1], ∂L/∂K[2,0].
import {rootOrNumber} from "./numbers.js";
import {placeOf} from "./shape.js";
import {visible} from "./text.js";

export class Labels {
    // Names are relative to the scope of the step that is shown: "logits" within "encoder/0/self_attn/".
    constructor(trace, scope, places) {
        this.trace = trace;
        this.scope = scope;
        this.places = places;
    }

    // The full name of a tensor; for one without, the operation that made it.
    path(id) {
        const {name, op, kind} = this.trace.tensors[id];
        const own = this.trace.stepOf.get(id) || this.trace.parameterOf.get(id);
        return own ? own.path || own.name : name || op || kind;
    }

    name(id) {
        const path = this.path(id);
        if (!this.trace.isNamed(id)) return id === this.trace.data.loss ? "L" : visible(path);
        if (this.scope && path.startsWith(this.scope)) return visible(path.slice(this.scope.length));
        const isAmbiguous =
            this.scope && this.trace.data.steps.some((step) => step.path === this.scope + path);
        return visible((isAmbiguous ? "/" : "") + path);
    }

    // A constant is written as its value, x / √2.
    isConstant({tensor, gradient}) {
        const {shape, view, parts} = this.trace.tensors[tensor];
        const isComputed = this.trace.producer[tensor] || view || parts;
        return !gradient && shape.length === 0 && !this.trace.isNamed(tensor) && !isComputed;
    }

    constant(element) { return rootOrNumber(this.trace.number(element), this.trace.real); }

    label(element, indices = placeOf(this.trace.shape(element.tensor), element.at)) {
        if (this.isConstant(element)) return this.constant(element);
        const at = indices.length ? `[${indices.join(",")}]` : "";
        return (element.gradient ? "∂L/∂" : "") + this.name(element.tensor) + at;
    }
}

export function scopeOf(path) { return path.slice(0, path.lastIndexOf("/") + 1); }

export function lastPart(path) { return path.slice(path.lastIndexOf("/") + 1); }

// The label within a sum: where the element moves with a running letter, the letter stands. `moved` has, for
// each letter, the element one further along it and the last one: a letter that runs over several axes has no
// place.
export function runningLabel(labels, first, moved, letters) {
    const {trace} = labels;
    const place = placeOf(trace.shape(first.tensor), first.at);
    const indices = place.map(String);
    for (const [n, to] of moved.entries()) {
        if (!to) continue;
        const changes = ({tensor, at}) =>
            tensor === first.tensor && placeOf(trace.shape(tensor), at).map((i, axis) => i !== place[axis]);
        const next = changes(to.next), last = changes(to.last);
        if (!next || String(next) !== String(last)) return labels.label(first) + " …";
        next.forEach((isMoved, axis) => {
            if (isMoved) indices[axis] = place[axis] ? `${letters[n]}+${indices[axis]}` : letters[n];
        });
    }
    return labels.label(first, indices);
}
