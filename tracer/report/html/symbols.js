// The colour of each tensor, everywhere; and which symbols of a formula mean which tensor.
import {lastPart} from "./labels.js";

const colors = 8;  // .symbol-0 … in page.css

// The named tensors that a tensor is computed from, values without a name looked through.
export function sourcesOf(trace, id, seen = new Set()) {
    const found = new Set(), {view, parts} = trace.tensors[id], equation = trace.producer[id];
    const below = view ? [view[0]]
        : parts        ? parts[1]
        : equation     ? equation.reads.map(([tensor]) => tensor)
                       : [];
    for (const tensor of below) {
        if (seen.has(tensor)) continue;
        seen.add(tensor);
        if (trace.isNamed(tensor)) found.add(tensor);
        else
            for (const each of sourcesOf(trace, tensor, seen)) found.add(each);
    }
    return found;
}

export class Symbols {
    constructor(trace) {
        this.trace = trace;
        this.colorOf = new Map();
        this.sources = new Map();
        this.assign();
    }

    // (The other side of a comparison has tensors of its own; of one name they have one colour.)
    nameOf(id, trace = this.trace) {
        const step = trace.stepOf.get(id), parameter = trace.parameterOf.get(id);
        return step ? lastPart(step.path) : parameter ? parameter.name : trace.tensors[id].name || "";
    }

    sourcesOf(id) {
        if (!this.sources.has(id)) this.sources.set(id, [...sourcesOf(this.trace, id)]);
        return this.sources.get(id);
    }

    // Names that stand in one formula get different colours, as far as there are enough.
    assign() {
        const beside = new Map();
        const meet = (a, b) => a !== b && (beside.get(a) || beside.set(a, new Set()).get(a)).add(b);
        const names = [];
        const note = (own) => names.includes(own) || names.push(own);
        for (const {tensor} of this.trace.data.steps) {
            const group = [...this.sourcesOf(tensor), tensor].map((id) => this.nameOf(id));
            group.forEach(note);
            for (const a of group)
                for (const b of group) meet(a, b);
        }
        const used = new Array(colors).fill(0);
        for (const own of names) {
            const taken = new Set([...(beside.get(own) || [])].map((each) => this.colorOf.get(each)));
            const free = used.map((count, i) => [taken.has(i) ? 1 : 0, count, i])
                             .sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
            this.colorOf.set(own, free[0][2]);
            ++used[free[0][2]];
        }
    }

    classOf(id, trace = this.trace) {
        const color = this.colorOf.get(this.nameOf(id, trace));
        return color === undefined ? "symbol" : "symbol symbol-" + color;
    }

    // {symbol → tensor} of a step's formula.
    meanings(step) {
        const sources = this.sourcesOf(step.tensor), found = new Map();
        for (const id of sources) found.set(this.nameOf(id), id);
        const only = (ids) => (ids.length === 1 ? ids[0] : undefined);
        const named = (ending) => only(sources.filter((id) => this.nameOf(id).endsWith(ending)));
        const tokens = step.formula.match(symbolPattern) || [];
        for (const token of tokens) {
            if (found.has(token)) continue;
            const id = token.endsWith("\u0302") ? found.get(token[0] + "_hat")
                : /^(W|γ)/.test(token) ? named("weight")
                : /^(b|β)(_|$)/.test(token) ? named("bias")
                : token === "x"              ? only(sources.filter(
                                                   (each) => !tokens.includes(this.nameOf(each)) &&
                                                       !/\.(weight|bias)$/.test(this.nameOf(each))))
                                             : undefined;
            if (id !== undefined) found.set(token, id);
        }
        return found;
    }
}

export const symbolPattern = /[A-Za-zα-ωΑ-Ω][A-Za-z0-9α-ω]*(?:_[A-Za-z0-9]+(?:,[a-z]\b)?)*\u0302?/g;
