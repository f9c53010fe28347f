import assert from "node:assert/strict";
import test from "node:test";

import {placesThatReach} from "../../tracer/report/html/shape.js";
import {Trace} from "../../tracer/report/html/trace.js";

import {base64Of, Builder, randomNumbers} from "./builder.mjs";
import {attention, block} from "./samples.mjs";

// The value of a tree over x = [1, −2, 3] (read 0 along the loop, read 1 the first number, read 2 another
// tensor).
function valueOf(tree, at = 0) {
    const b = new Builder();
    const x = b.given("x", [3], [1, -2, 3]), y = b.given("y", [2], [4, 5]);
    const of = b.op("test", [2], {
        loops: [3],
        letters: ["c"],
        is: tree,
        reads: [[x, 0, 0, [0], [1]], [x, 0, 0, [0], [0]], [y, 0, 0, [1], [0]]]
    });
    return new Trace(b.data).value(of, at);
}

const cases = [
    [7, 7],
    [["k", 0.5, "ε"], 0.5],
    [["r", 2], 4],
    [["i", 0], 0],
    [["n"], 3],
    [["+", ["r", 1], ["r", 2]], 5],
    [["-", ["r", 1], ["r", 2]], -3],
    [["*", 3, ["r", 2]], 12],
    [["/", ["r", 1], ["r", 2]], 0.25],
    [["neg", ["r", 2]], -4],
    [["f", "exp", 0], 1],
    [["f", "ln", 1], 0],
    [["f", "sqrt", ["r", 2]], 2],
    [["f", "sin", 0], 0],
    [["f", "cos", 0], 1],
    [["f", "tanh", 0], 0],
    [["f", "erf", 0], 0],
    [["f", "abs", -2], 2],
    [["f", "relu", -2], 0],
    [["f", "sigmoid", 0], 0.5],
    [["f", "silu", 0], 0],
    [["f", "pow", 2, 3], 8],
    [["f", "max", 2, 3], 3],
    [["f", "min", 2, 3], 2],
    [["f", "square", -3], 9],
    [["sum", ["r", 0]], 2],
    [["sum", ["l", 0]], 3],
    [["sum", ["r", 0], [">", ["r", 0], 0]], 4],
    [["sum", 1, ["eq", ["l", 0], 2]], 1],
    [["max", ["r", 0]], 3],
    [["min", ["r", 0]], -2],
    [["if", ["eq", ["r", 1], 1], 10, 20], 10],
    [["if", ["<", ["r", 1], 0], 10, 20], 20],
    [["if", [">", ["r", 2], 3], 10, 20], 10],
    [
        [
            "let", "μ", ["/", ["sum", ["r", 0]], ["n"]],
            ["sum", ["f", "square", ["-", ["r", 0], ["ref", "μ"]]]]
        ],
        38 / 3
    ],
];
for (const [tree, expected] of cases)
    test(
        `equation ${JSON.stringify(tree)}`,
        () => assert.ok(Math.abs(valueOf(tree) - expected) < 1e-12, String(valueOf(tree))));

test("the place of the number itself, and reads that move with it", () => {
    assert.equal(valueOf(["i", 0], 1), 1);
    assert.equal(valueOf(["r", 2], 1), 5);
});

test("unknown parts are refused", () => {
    assert.throws(() => valueOf(["what", 1]), /unknown part "what"/);
    assert.throws(() => valueOf(["f", "what", 1]), /unknown function "what"/);
});

test("a gather reads where another number says", () => {
    const b = new Builder();
    const table = b.given("table", [3, 2], [0, 1, 10, 11, 20, 21]), ids = b.given("ids", [2], [2, 0]);
    const of = b.op(
        "embedding", [2, 2],
        {is: ["r", 0], reads: [[table, 0, 0, [0, 1], [], [[1, 2]]], [ids, 0, 0, [1, 0], []]]});
    const trace = new Trace(b.data);
    assert.deepEqual([0, 1, 2, 3].map((at) => trace.value(of, at)), [20, 21, 0, 1]);
});

test("views, of views, and concatenations", () => {
    const b = new Builder();
    const x = b.given("x", [2, 3], [0, 1, 2, 3, 4, 5]), turned = b.transpose(x),
          row = b.view(turned, [2], 2, [1]);
    const y = b.given("y", [2, 1], [8, 9]),
          both = b.tensor([2, 4], "value", {op: "concat", parts: [1, [x, y]]});
    const trace = new Trace(b.data);
    assert.deepEqual([0, 1, 2, 3, 4, 5].map((at) => trace.value(turned, at)), [0, 3, 1, 4, 2, 5]);
    assert.deepEqual([0, 1].map((at) => trace.value(row, at)), [1, 4]);
    assert.deepEqual([0, 1, 2, 3, 4, 5, 6, 7].map((at) => trace.value(both, at)), [0, 1, 2, 8, 3, 4, 5, 9]);
    assert.deepEqual(trace.resolved({tensor: row, at: 1}), {tensor: x, at: 4, gradient: false});
    assert.deepEqual(trace.placesInView({tensor: turned}, x, 3), [1]);
    assert.deepEqual(trace.placesInView({tensor: both, axis: 1, offset: 3}, y, 1), [7]);
});

test("places that reach an element: as counting says", () => {
    for (const [sizes, strides] of [
             [[3, 4], [4, 1]], [[3, 4], [1, 3]], [[2, 3, 2], [0, 2, 1]], [[4, 3], [1, 1]], [[3, 2], [-2, 5]],
             [[], []]])
        for (let target = -6; target < 14; ++target) {
            const expected = [];
            const total = sizes.reduce((a, b) => a * b, 1);
            for (let n = 0; n < total; ++n) {
                const place = [];
                let rest = n;
                for (let axis = sizes.length - 1; axis >= 0; rest = Math.floor(rest / sizes[axis--]))
                    place[axis] = rest % sizes[axis];
                if (place.reduce((sum, i, axis) => sum + i * strides[axis], 0) === target)
                    expected.push(place.join());
            }
            assert.deepEqual(
                placesThatReach(target, sizes, strides, 1000).map(String).sort(), expected.sort());
        }
});

// Every gradient, by the page's own sums, against differences of the page's own forward pass.
function checkGradients(data, scalarOf) {
    const trace = new Trace(structuredClone({
        ...data,
        steps: data.steps.map(({gradient, ...step}) => step),
        parameters: data.parameters.map(({gradient, ...p}) => p)
    }));
    const given =
        data.tensors.map((t, id) => id)
            .filter((id) => data.tensors[id].data && !trace.producer[id] && data.tensors[id].shape.length);
    const value = (changed) => {
        const copy = {
            ...data,
            steps: [],
            parameters: [],
            real: "float64",
            tensors: data.tensors.map((t, id) => {
                if (!t.data) return t;
                if (trace.producer[id]) return {...t, data: undefined};
                const numbers = Float64Array.from(trace.stored(t, "data"));
                if (changed && changed.id === id) numbers[changed.at] += changed.by;
                return {...t, data: Buffer.from(new Uint8Array(numbers.buffer)).toString("base64")};
            })
        };
        return new Trace(copy).value(data.loss, 0);
    };
    let checked = 0;
    for (const id of given)
        for (let at = 0; at < Math.min(trace.size(id), 8); ++at, ++checked) {
            if (data.tensors[id].name === undefined || data.tensors[id].name === "norm1.weight" ||
                data.tensors[id].name === "mask")
                continue;
            const difference = (value({id, at, by: 1e-4}) - value({id, at, by: -1e-4})) / 2e-4;
            assert.ok(
                Math.abs(difference - trace.gradient(id, at)) < 2e-5 * Math.max(1, Math.abs(difference)),
                `${data.tensors[id].name} ${at}: ${difference}, ${trace.gradient(id, at)}`);
        }
    assert.ok(checked > 10);
}

test(
    "gradients of attention sum over reads, views and uses",
    () => checkGradients(attention({gradients: true, causal: true})));
test("gradients of layer norm and linear", () => checkGradients(block()));

test("a value that is used twice, and a concatenation, gather gradients of both", () => {
    const b = new Builder();
    const x = b.given("x", [2, 2], [1, 2, 3, 4]),
          both = b.tensor([2, 4], "value", {op: "concat", parts: [1, [x, b.add(x, x)]]});
    const loss = b.total(b.divide(both, b.constant(2)));
    b.fill().differentiate(loss, "sum");
    const trace = new Trace(b.data);
    assert.deepEqual([0, 1, 2, 3].map((at) => trace.gradient(x, at)), [1.5, 1.5, 1.5, 1.5]);
    assert.equal(trace.gradient(loss, 0), 1);
    const unused = new Builder(), y = unused.given("y", [1], [1]);
    assert.equal(new Trace({...unused.data, loss: 5}).gradient(y, 0), 0);
});

test("float32 of the file, not of the equation, is shown", () => {
    const b = new Builder(), x = b.given("x", [1], randomNumbers(1)), y = b.divide(x, b.constant(3));
    b.data.tensors[y].data = base64Of([0.25]);
    assert.equal(new Trace(b.data).value(y, 0), 0.25);
});

test("a gradient without a formula is not a number, and does no harm", () => {
    const b = new Builder(), x = b.given("x", [2], [1, 2]);
    const y = b.op("fused", [2], {is: null, reads: [[x, 0, 0, [1], []]]});
    b.data.equations.push({
        of: x,
        from: y,
        op: "fused",
        gradient: 0,
        loops: [],
        letters: [],
        reads: [[y, 1, 0, [1], []]],
        is: null
    });
    assert.ok(Number.isNaN(new Trace(b.data).gradient(x, 0)));
    assert.ok(Number.isNaN(new Trace(b.data).value(y, 0)));
});
