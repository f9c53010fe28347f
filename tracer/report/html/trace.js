// All numbers of a page: stored, seen through views, or computed when asked for. An element {tensor, at,
// gradient} is one number: `at` is its row-major number in the tensor, `gradient` says that ∂L/∂ of it is
// meant.
import {bitOf, bytesOf, realsOf} from "./base64.js";
import {compiled, Site} from "./equation.js";
import {dot, elementOf, forEachPlace, placeOf, placesThatReach, sizeOf} from "./shape.js";

const manyPlaces = 1e6;  // of one number in a view: more would not fit into memory

export class Trace {
    constructor(data) {
        this.data = data;
        this.tensors = data.tensors;
        this.real = data.real;
        this.computed = new Map();  // numbers that follow from equations, by "tensor" or "∂tensor"
        this.decoded = new Map();
        this.whole = new Map();
        this.functions = [];
        this.index();
    }

    // Who computes, reads and shows each tensor.
    index() {
        const lists = () => this.tensors.map(() => []);
        this.producer = new Array(this.tensors.length).fill(null);
        this.contributions = lists();
        this.readers = lists();
        this.gradientReaders = lists();
        this.viewers = lists();
        for (const equation of this.data.equations) {
            if (equation.gradient !== undefined) {
                this.contributions[equation.of].push(equation);
                equation.reads.forEach(
                    (read, n) => read[1] === 1 && this.gradientReaders[read[0]].push({equation, n}));
                continue;
            }
            this.producer[equation.of] = equation;
            equation.reads.forEach(
                (read, n) =>
                    (read[1] === 0 ? this.readers : this.gradientReaders)[read[0]].push({equation, n}));
        }
        this.tensors.forEach(({view, parts}, id) => {
            if (view) this.viewers[view[0]].push({tensor: id});
            let offset = 0;
            for (const part of parts ? parts[1] : []) {
                this.viewers[part].push({tensor: id, axis: parts[0], offset});
                offset += this.tensors[part].shape[parts[0]];
            }
        });
        this.stepOf = new Map();
        this.data.steps.forEach((step) => this.stepOf.has(step.tensor) || this.stepOf.set(step.tensor, step));
        this.parameterOf = new Map(this.data.parameters.map((each) => [each.tensor, each]));
    }

    shape(id) { return this.tensors[id].shape; }

    size(id) { return sizeOf(this.shape(id)); }

    isNamed(id) { return !!this.tensors[id].name || this.stepOf.has(id) || this.parameterOf.has(id); }

    // Whether its numbers were given, perhaps in another shape, and are no other step's.
    isGiven(id) {
        for (let {view, parts} = this.tensors[id]; view || parts; {view, parts} = this.tensors[id]) {
            if (parts || this.isNamed(view[0])) return false;
            [id] = view;
        }
        return !this.producer[id];
    }

    // Numbers of a field, decoded once: trace.stored(tensor, "data")
    stored(holder, field) {
        if (!holder || holder[field] === undefined) return null;
        let fields = this.decoded.get(holder);
        if (!fields) this.decoded.set(holder, (fields = {}));
        return (
            fields[field] ||=
                field === "hidden" ? bytesOf(holder[field]) : realsOf(holder[field], this.real));
    }

    number({tensor, at, gradient}) { return gradient ? this.gradient(tensor, at) : this.value(tensor, at); }

    value(id, at) {
        const data = this.stored(this.tensors[id], "data");
        if (data) return data[at];
        const below = this.below(id, at);
        if (below) return this.value(below.tensor, below.at);
        const equation = this.producer[id];
        if (!equation || equation.is === null) return NaN;
        return this.memo(String(id), id, at, () => this.evaluate(equation, at));
    }

    // Whether its numbers are gradients of others, as a training step's update begins with.
    isMadeOfGradients(id) {
        const equation = this.producer[id];
        return !!(equation?.reads.some((read) => read[1] === 1));
    }

    gradientData(id) {
        return this.stored(this.stepOf.get(id), "gradient") ||
            this.stored(this.parameterOf.get(id), "gradient");
    }

    gradient(id, at) {
        const data = this.gradientData(id);
        if (data) return data[at];
        return this.memo("∂" + id, id, at, () => {
            let sum = 0;
            for (const each of this.gradientTerms(id, at)) sum += this.termOfGradient(each);
            return sum;
        });
    }

    termOfGradient({equation, at, element, seed}) {
        if (equation) return this.evaluate(equation, at);
        return element ? this.number(element) : seed;
    }

    memo(key, id, at, compute) {
        let kept = this.computed.get(key);
        if (!kept)
            this.computed.set(
                key,
                (kept = {values: new Float64Array(this.size(id)), known: new Uint8Array(this.size(id))}));
        if (!kept.known[at]) {
            kept.values[at] = compute();
            kept.known[at] = 1;
        }
        return kept.values[at];
    }

    evaluate(equation, at) {
        if (equation.is === null) return NaN;  // an op without a formula
        return this.functionOf(equation)(new Site(this, equation, at));
    }

    functionOf(equation) {
        return (this.functions[equation.is] ||= compiled(this.data.expressions[equation.is]));
    }

    // The element that a view or a concatenation shows; null where the tensor is neither.
    below(id, at) {
        const {view, parts, shape} = this.tensors[id];
        if (view) return {tensor: view[0], at: view[1] + dot(view[2], placeOf(shape, at))};
        if (!parts) return null;
        const place = placeOf(shape, at), [axis, ids] = parts;
        for (const part of ids) {
            const size = this.shape(part)[axis];
            if (place[axis] < size) return {tensor: part, at: elementOf(this.shape(part), place)};
            place[axis] -= size;
        }
        return null;
    }

    // Follows transposes, head splits and slices without a name back to the number that was computed or
    // named.
    resolved({tensor, at, gradient}) {
        if (gradient) return this.resolvedGradient({tensor, at, gradient});
        while (!this.isNamed(tensor)) {
            const below = this.below(tensor, at);
            if (!below) break;
            ({tensor, at} = below);
        }
        return {tensor, at, gradient: false};
    }

    // The gradient of a value without a name is often that of the one step that shows it.
    resolvedGradient(element) {
        while (!this.isNamed(element.tensor)) {
            const terms = this.gradientTerms(element.tensor, element.at);
            if (terms.length !== 1 || !terms[0].element) break;
            element = terms[0].element;
        }
        return element;
    }

    // Where a view or concatenation shows an element.
    placesInView(viewer, id, at, limit = manyPlaces) {
        const {shape, view} = this.tensors[viewer.tensor];
        if (view) {
            const places = placesThatReach(at - view[1], shape, view[2], limit);
            return places.map((place) => elementOf(shape, place));
        }
        const place = placeOf(this.shape(id), at);
        place[viewer.axis] += viewer.offset;
        return [elementOf(shape, place)];
    }

    // What ∂L/∂x is the sum of: equations, gradients of views that have a name, and for the loss itself what the
    // way back begins with: 1, or in a training step its share of the batch.
    gradientTerms(id, at) {
        const terms = this.contributions[id].map((equation) => ({equation, at}));
        if (id === this.data.loss) terms.push({seed: this.data.lossGradient ?? 1});
        for (const viewer of this.viewers[id])
            for (const place of this.placesInView(viewer, id, at)) {
                if (this.isNamed(viewer.tensor))
                    terms.push({element: {tensor: viewer.tensor, at: place, gradient: true}});
                else terms.push(...this.gradientTerms(viewer.tensor, place));
            }
        return terms;
    }

    // All numbers of a tensor, for a picture of it.
    all(id) {
        const {view, shape} = this.tensors[id], own = this.stored(this.tensors[id], "data");
        if (own) return own;
        if (this.whole.has(id)) return this.whole.get(id);
        const values = new (this.real === "float64" ? Float64Array : Float32Array)(this.size(id));
        this.whole.set(id, values);
        if (view) {
            const source = this.all(view[0]), place = new Array(shape.length);
            let at = 0;
            forEachPlace(shape, place, () => (values[at++] = source[view[1] + dot(view[2], place)]));
        } else {
            for (let at = 0; at < values.length; ++at) values[at] = this.value(id, at);
        }
        return values;
    }

    isHidden(id, at) {
        const bits = this.stored(this.stepOf.get(id), "hidden");
        return bits ? bitOf(bits, at) : false;
    }
}
