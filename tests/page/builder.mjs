// Builds the data of a page as the command writes it: tensors, equations with their gradients, steps. Each op
// is one function that states shape, equation and gradient; numbers are computed through the page's own
// evaluator once and rounded to float32, as the command's are.
import {sizeOf, stridesOf} from "../../tracer/report/html/shape.js";
import {Trace} from "../../tracer/report/html/trace.js";

export const base64Of = (values) =>
    Buffer.from(new Uint8Array(Float32Array.from(values).buffer)).toString("base64");

// The same normal numbers on every machine.
export function randomNumbers(n, seed = 1) {
    let state = seed >>> 0;
    const uniform = () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) + 0.5) / 4294967296;
    return Array.from(
        {length: n}, () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()));
}

export class Builder {
    constructor(settings = {}) {
        this.data = {
            schema: 1,
            command: "attention",
            title: "Scaled dot-product attention",
            header: [],
            footer: "",
            convention: "uva-jax",
            rng: "jax",
            seed: 42,
            score: "scaled",
            real: "float32",
            precision: 2,
            scalar: "",
            scalarValue: 0,
            result: "",
            expressions: [],
            tensors: [],
            equations: [],
            steps: [],
            parameters: [],
            ...settings,
        };
        this.contributions = [];  // made real by `differentiate`
    }

    tensor(shape, kind, more = {}) {
        this.data.tensors.push({shape, kind, ...more});
        return this.data.tensors.length - 1;
    }

    given(name, shape, values, kind = "input") {
        return this.tensor(shape, kind, {...(name ? {name} : {}), data: base64Of(values)});
    }

    constant(value) { return this.given("", [], [value], "constant"); }

    shape(id) { return this.data.tensors[id].shape; }

    expression(tree) {
        const known =
            this.data.expressions.findIndex((each) => JSON.stringify(each) === JSON.stringify(tree));
        return known >= 0 ? known : this.data.expressions.push(tree) - 1;
    }

    // A new tensor with its equation. `gradients`: for each operand that has one, {of, loops, letters, reads,
    // is}.
    op(op, shape, {loops = [], letters = [], reads, is}, gradients = []) {
        const of = this.tensor(shape, "value", {op});
        this.data.equations.push(
            {of, op, loops, letters, reads, is: is === null ? null : this.expression(is)});
        for (const each of gradients)
            this.contributions.push(
                {...each, op, from: of, reads: each.reads(of), is: this.expression(each.is)});
        return of;
    }

    view(source, shape, base, strides) {
        return this.tensor(shape, "value", {op: "view", view: [source, base, strides]});
    }

    transpose(x) {
        const [rows, columns] = this.shape(x), [s, t] = stridesOf(this.shape(x));
        return this.view(x, [columns, rows], 0, [t, s]);
    }

    matmul(a, b) {
        const [n, k] = this.shape(a), m = this.shape(b)[1];
        return this.op(
            "matmul", [n, m], {
                loops: [k],
                letters: ["c"],
                is: ["sum", ["*", ["r", 0], ["r", 1]]],
                reads: [[a, 0, 0, [k, 0], [1]], [b, 0, 0, [0, 1], [m]]]
            },
            [
                {
                    of: a,
                    gradient: 0,
                    loops: [m],
                    letters: ["j"],
                    is: ["sum", ["*", ["r", 0], ["r", 1]]],
                    reads: (y) => [[y, 1, 0, [m, 0], [1]], [b, 0, 0, [0, m], [1]]]
                },
                {
                    of: b,
                    gradient: 1,
                    loops: [n],
                    letters: ["i"],
                    is: ["sum", ["*", ["r", 0], ["r", 1]]],
                    reads: (y) => [[a, 0, 0, [1, 0], [k]], [y, 1, 0, [0, 1], [m]]]
                }
            ]);
    }

    linear(x, W, b) {
        const [n, k] = this.shape(x), m = this.shape(W)[0];
        return this.op(
            "linear", [n, m], {
                loops: [k],
                letters: ["c"],
                is: ["+", ["sum", ["*", ["r", 0], ["r", 1]]], ["r", 2]],
                reads: [[x, 0, 0, [k, 0], [1]], [W, 0, 0, [0, k], [1]], [b, 0, 0, [0, 1], [0]]]
            },
            [
                {
                    of: x,
                    gradient: 0,
                    loops: [m],
                    letters: ["o"],
                    is: ["sum", ["*", ["r", 0], ["r", 1]]],
                    reads: (y) => [[y, 1, 0, [m, 0], [1]], [W, 0, 0, [0, 1], [k]]]
                },
                {
                    of: W,
                    gradient: 1,
                    loops: [n],
                    letters: ["i"],
                    is: ["sum", ["*", ["r", 0], ["r", 1]]],
                    reads: (y) => [[y, 1, 0, [1, 0], [m]], [x, 0, 0, [0, 1], [k]]]
                },
                {
                    of: b,
                    gradient: 2,
                    loops: [n],
                    letters: ["i"],
                    is: ["sum", ["r", 0]],
                    reads: (y) => [[y, 1, 0, [1], [m]]]
                }
            ]);
    }

    // y = x / c, c a number
    divide(x, c) {
        const shape = this.shape(x), strides = stridesOf(shape), none = strides.map(() => 0);
        return this.op(
            "div", shape,
            {is: ["/", ["r", 0], ["r", 1]], reads: [[x, 0, 0, strides, []], [c, 0, 0, none, []]]}, [{
                of: x,
                gradient: 0,
                loops: [],
                letters: [],
                is: ["/", ["r", 0], ["r", 1]],
                reads: (y) => [[y, 1, 0, strides, []], [c, 0, 0, none, []]]
            }]);
    }

    add(a, b) {
        const shape = this.shape(a), s = stridesOf(shape);
        const back = (of, gradient) =>
            ({of, gradient, loops: [], letters: [], is: ["r", 0], reads: (y) => [[y, 1, 0, s, []]]});
        return this.op(
            "add", shape, {is: ["+", ["r", 0], ["r", 1]], reads: [[a, 0, 0, s, []], [b, 0, 0, s, []]]},
            [back(a, 0), back(b, 1)]);
    }

    maskedFill(x, mask, fill) {
        const shape = this.shape(x), s = stridesOf(shape);
        return this.op(
            "masked_fill", shape, {
                is: ["if", ["eq", ["r", 1], 0], ["k", fill, "fill"], ["r", 0]],
                reads: [[x, 0, 0, s, []], [mask, 0, 0, s, []]]
            },
            [{
                of: x,
                gradient: 0,
                loops: [],
                letters: [],
                is: ["if", ["eq", ["r", 1], 0], 0, ["r", 0]],
                reads: (y) => [[y, 1, 0, s, []], [mask, 0, 0, s, []]]
            }]);
    }

    softmax(x) {
        const [n, m] = this.shape(x);
        return this.op(
            "softmax", [n, m], {
                loops: [m],
                letters: ["j"],
                is: ["/", ["f", "exp", ["r", 0]], ["sum", ["f", "exp", ["r", 1]]]],
                reads: [[x, 0, 0, [m, 1], [0]], [x, 0, 0, [m, 0], [1]]]
            },
            [{
                of: x,
                gradient: 0,
                loops: [m],
                letters: ["j"],
                is: ["*", ["r", 0], ["-", ["r", 1], ["sum", ["*", ["r", 2], ["r", 3]]]]],
                reads: (y) => [
                    [y, 0, 0, [m, 1], [0]], [y, 1, 0, [m, 1], [0]], [y, 1, 0, [m, 0], [1]],
                    [y, 0, 0, [m, 0], [1]]]
            }]);
    }

    layerNorm(x, weight, bias, epsilon = 1e-5) {
        const [n, d] = this.shape(x);
        const mean = ["/", ["sum", ["r", 1]], ["n"]];
        const variance = ["/", ["sum", ["f", "square", ["-", ["r", 1], ["ref", "μ"]]]], ["n"]];
        const root = ["f", "sqrt", ["+", ["ref", "σ²"], ["k", epsilon, "ε"]]];
        const out = ["+", ["*", ["/", ["-", ["r", 0], ["ref", "μ"]], root], ["r", 2]], ["r", 3]];
        const moments = (body) => ["let", "μ", mean, ["let", "σ²", variance, body]];
        const normal = ["/", ["-", ["r", 1], ["ref", "μ"]], root];
        const row = [[x, 0, 0, [d, 1], [0]], [x, 0, 0, [d, 0], [1]]];
        // ∂L/∂x = (γ g − mean γ g − x̂ mean(γ g x̂)) / √(σ² + ε)
        const inner = ["*", ["r", 5], ["r", 4]];
        const gradient = moments(["let", "a", ["/", ["sum", inner], ["n"]],
            ["let", "b", ["/", ["sum", ["*", inner, normal]], ["n"]],
             ["/", ["-", ["-", ["*", ["r", 3], ["r", 2]], ["ref", "a"]],
                    ["*", ["/", ["-", ["r", 0], ["ref", "μ"]], root], ["ref", "b"]]], root]]]);
        return this.op(
            "layer_norm", [n, d], {
                loops: [d],
                letters: ["j"],
                is: moments(out),
                reads: [...row, [weight, 0, 0, [0, 1], [0]], [bias, 0, 0, [0, 1], [0]]]
            },
            [
                {
                    of: x,
                    gradient: 0,
                    loops: [d],
                    letters: ["j"],
                    is: gradient,
                    reads: (y) =>
                        [...row, [y, 1, 0, [d, 1], [0]], [weight, 0, 0, [0, 1], [0]], [y, 1, 0, [d, 0], [1]],
                         [weight, 0, 0, [0, 0], [1]]]
                },
                {
                    of: bias,
                    gradient: 2,
                    loops: [n],
                    letters: ["i"],
                    is: ["sum", ["r", 0]],
                    reads: (y) => [[y, 1, 0, [1], [d]]]
                }
            ]);
    }

    total(x) {
        const size = sizeOf(this.shape(x)), strides = stridesOf(this.shape(x));
        return this.op(
            "sum", [], {loops: [size], letters: ["i"], is: ["sum", ["r", 0]], reads: [[x, 0, 0, [], [1]]]}, [{
                of: x,
                gradient: 0,
                loops: [],
                letters: [],
                is: ["r", 0],
                reads: (y) => [[y, 1, 0, strides.map(() => 0), []]]
            }]);
    }

    step(path, tensor, formula = "", sentence = "", more = {}) {
        const t = this.data.tensors[tensor];
        t.name = path;
        t.kind = "step";
        this.data.steps.push({path, tensor, formula, sentence, kind: "number", checks: [], ...more});
        return tensor;
    }

    parameter(name, shape, values) {
        const tensor = this.given(name, shape, values, "parameter");
        this.data.parameters.push({name, tensor});
        return tensor;
    }

    // Every tensor's number, in single precision; those with a name are stored.
    fill() {
        const trace = new Trace(this.data);
        this.data.tensors.forEach((tensor, id) => {
            if (tensor.data !== undefined || tensor.view || tensor.parts || !trace.producer[id]) return;
            const values = Float32Array.from({length: trace.size(id)}, (_, at) => trace.value(id, at));
            if (tensor.name !== undefined) tensor.data = base64Of(values);
        });
        return this;
    }

    differentiate(loss, scalar) {
        const used = new Set(this.contributions.map((each) => each.from).concat(loss));
        Object.assign(this.data, {loss, scalar, scalarValue: 0});
        this.data.equations.push(...this.contributions.filter((each) => used.has(each.from)));
        const trace = new Trace(this.data);
        this.data.scalarValue = trace.value(loss, 0);
        const all = [...this.data.steps, ...this.data.parameters];
        const gradients = all.map(
            ({tensor}) =>
                Float32Array.from({length: trace.size(tensor)}, (_, at) => trace.gradient(tensor, at)));
        all.forEach((holder, i) => {
            holder.gradient = base64Of(gradients[i]);
            holder.agreement = [true, "agree within 2.8e-06"];
            if (holder.path !== undefined) holder.difference = base64Of(gradients[i].map((g) => g + 1e-6));
        });
        return this;
    }
}
