import assert from "node:assert/strict";
import test from "node:test";

import {ancestorsOf} from "../../tracer/report/html/ancestors.js";
import {arithmeticOf, lineText, signBetween} from "../../tracer/report/html/arithmetic.js";
import {Labels} from "../../tracer/report/html/labels.js";
import {operandTensors, productOf} from "../../tracer/report/html/operand_panels.js";
import {allUsersOf, keyOf, operandsOf, usersOf} from "../../tracer/report/html/operands.js";
import {Slice} from "../../tracer/report/html/slice.js";
import {sentenceOf} from "../../tracer/report/html/speech.js";
import {Symbols} from "../../tracer/report/html/symbols.js";
import {Trace} from "../../tracer/report/html/trace.js";

import {Builder, randomNumbers} from "./builder.mjs";
import {attention, block} from "./samples.mjs";

const named = (data, name) => data.tensors.findIndex((tensor) => tensor.name === name);

function written(data, name, at, {gradient = false, scope = "", places = 2, unfolded = 0} = {}) {
    const trace = new Trace(data), labels = new Labels(trace, scope, places);
    const arithmetic = arithmeticOf(trace, {tensor: named(data, name), at, gradient}, labels, unfolded);
    const {label, symbols, where, notes, lines, says} = arithmetic;
    return {
        arithmetic,
        all: [label, says, lineText(symbols), ...[...where, ...notes, ...lines].map(lineText)].filter(Boolean)
    };
}

const plain = attention({gradients: true}), causal = attention({gradients: true, causal: true}),
      layers = block();

test("a product", () => {
    assert.deepEqual(
        written(plain, "logits", 1, {places: 4}).all,
        ["logits[0,1]", "Σ_c Q[0,c]·K[1,c]", "−0.6613·1.3035 + 0.7006·1.2874", "−0.8620 + 0.9019", "0.0399"]);
});

test("a division by a constant that is a root", () => {
    assert.deepEqual(
        written(plain, "scaled", 0).all, ["scaled[0,0]", "logits[0,0] / √2", "−0.89 / √2", "−0.63"]);
});

test("a softmax, step by step", () => {
    assert.deepEqual(written(plain, "attention", 1, {places: 4}).all, [
        "attention[0,1]", "exp(scaled[0,1]) / Σ_j exp(scaled[0,j])",
        "exp(0.0282) / (exp(−0.6308) + exp(0.0282) + exp(−1.0720))", "1.0286 / (0.5322 + 1.0286 + 0.3423)",
        "1.0286 / 1.9030", "0.5405"
    ]);
});

test("a masked score says why", () => {
    assert.deepEqual(
        written(causal, "masked", 1).all, ["masked[0,1]", "fill", "because mask[0,1] = 0", "−9e15"]);
    assert.deepEqual(
        written(causal, "masked", 0).all,
        ["masked[0,0]", "scaled[0,0]", "because mask[0,0] ≠ 0: 1 ≠ 0", "−0.63"]);
});

test("layer norm has its letters on lines of their own", () => {
    const {all} = written(layers, "encoder/0/norm1", 3, {scope: "encoder/0/"});
    assert.equal(all[1], "(x[0,3] − μ) / √(σ² + ε) · norm1.weight[3] + norm1.bias[3]");
    assert.match(all[2], /^μ = \(Σ_j x\[0,j\]\) \/ 8 = \(1\.45 \+ .* = 0\.78$/);
    assert.match(all[3], /^σ² = \(Σ_j \(x\[0,j\] − μ\)²\) \/ 8 = /);
    assert.equal(all.at(-1), "0.42");
});

test("long sums are shortened, and can be unfolded", () => {
    const shortened = written(layers, "encoder/0/softmax", 3, {scope: "encoder/0/"}).all[2];
    assert.match(shortened, / \+ … \(3 more\) … \+ /);
    assert.equal(shortened.match(/exp\(/g).length, 8);
    assert.equal(
        written(layers, "encoder/0/softmax", 3, {scope: "encoder/0/", unfolded: 10})
            .all[2]
            .match(/exp\(/g)
            .length,
        11);
});

test("a view is the same number; inputs and parameters say so", () => {
    const b = new Builder(), x = b.step("x", b.given("x", [2, 3], randomNumbers(6)));
    b.step("turned", b.transpose(x));
    assert.deepEqual(
        written(b.data, "turned", 1).all.slice(0, 3), ["turned[0,1]", "the same number as", "x[1,0]"]);
    assert.equal(written(b.data, "x", 1).arithmetic.says, "an input");
    assert.equal(written(layers, "norm1.bias", 1).arithmetic.says, "a parameter");
});

test("an op without a formula names what it was computed from", () => {
    const b = new Builder(), x = b.given("x", [2], [1, 2]);
    b.step("y", b.op("fused", [2], {is: null, reads: [[x, 0, 0, [1], []]]}));
    assert.equal(written(b.data, "y", 0).arithmetic.says, "computed by fused from x");
});

test("an unnamed value is written inside the formula, also within a sum", () => {
    const b = new Builder(), x = b.given("x", [2], [1, 2]), y = b.given("y", [2], [3, 4]);
    b.step("sum", b.total(b.add(x, y)));
    b.step("half", b.divide(b.add(x, y), b.constant(4)));
    b.fill();
    assert.deepEqual(
        written(b.data, "half", 0).all,
        ["half[0]", "(x[0] + y[0]) / 4", "(1 + 3) / 4", "4 / 4", "1"]);
    assert.equal(written(b.data, "sum", 0).all[1], "Σ_i (x[i] + y[i])");
});

test("gradients follow from their equations", () => {
    assert.deepEqual(written(causal, "K", 1, {gradient: true}).all, [
        "∂L/∂K[0,1]", "Σ_i Q[i,1]·∂L/∂logits[i,0]", "0.70·0 + (−1.78)·0.42 + (−1.10)·0.41", "0 − 0.74 − 0.45",
        "−1.19"
    ]);
    assert.deepEqual(
        written(causal, "values", 1, {gradient: true}).all, ["∂L/∂values[0,1]", "∂L/∂L", "1"]);
});

// Every number of every step: the arithmetic, worked out in double from the operands, gives the stored
// number.
for (const [name, data] of [["plain", plain], ["causal", causal], ["layers", layers]])
    test(`all arithmetic of ${name} gives the number`, () => {
        const trace = new Trace(data), labels = new Labels(trace, "", 3);
        for (const {tensor, path} of data.steps)
            for (const gradient of [false, true])
                for (let at = 0; at < trace.size(tensor); ++at) {
                    const {worked, value, lines} = arithmeticOf(trace, {tensor, at, gradient}, labels);
                    if (worked === undefined) continue;
                    assert.ok(
                        Math.abs(worked - value) <= 1e-5 * Math.max(1, Math.abs(value)),
                        `${path} ${at} ${gradient}: ${worked} ${value}`);
                    const shownOperands = lines[0].filter((token) => token.element && !token.isLabel);
                    for (const {element, value: v} of shownOperands) assert.equal(v, trace.number(element));
                }
    });

test("operands and users are each other's inverse", () => {
    for (const data of [plain, causal, layers]) {
        const trace = new Trace(data);
        for (const gradient of [false, true])
            for (const {tensor} of data.steps)
                for (let at = 0; at < trace.size(tensor); ++at)
                    for (const operand of operandsOf(trace, {tensor, at, gradient})) {
                        if (operand.gradient !== gradient || !trace.isNamed(operand.tensor)) continue;
                        const users = usersOf(trace, operand).get(tensor);
                        assert.ok(users && users.has(at), JSON.stringify([tensor, at, operand]));
                    }
    }
});

test("what depends on a key, to the end", () => {
    const trace = new Trace(plain),
          users = allUsersOf(trace, {tensor: named(plain, "K"), at: 2, gradient: false});
    assert.deepEqual([...users.get(named(plain, "logits"))].sort(), [1, 4, 7]);
    assert.equal(users.get(named(plain, "values")).size, 6);
    assert.ok(!users.has(named(plain, "Q")));
});

const followed = (trace, element) => {
    const found = new Map();
    for (const _ of ancestorsOf(trace, element, found)) continue;
    return found;
};

test("what a number was made from, back to the inputs", () => {
    const trace = new Trace(plain), found = followed(trace, {tensor: named(plain, "values"), at: 1}),
          distances = (name) => [...found.get(String(named(plain, name)))];
    assert.deepEqual(distances("V"), [0, 1, 0, 1, 0, 1]);
    assert.deepEqual(distances("attention"), [1, 1, 1, 0, 0, 0, 0, 0, 0]);
    assert.deepEqual(distances("logits"), [3, 3, 3, 0, 0, 0, 0, 0, 0]);
    assert.deepEqual(distances("Q"), [4, 4, 0, 0, 0, 0]);
    assert.deepEqual(distances("K"), [4, 4, 4, 4, 4, 4]);
});

test("it is all that the arithmetic names, and the arithmetic of that, of gradients too", () => {
    for (const data of [causal, layers])
        for (const {tensor} of data.steps)
            for (const gradient of [false, true]) {
                const trace = new Trace(data), first = {tensor, at: trace.size(tensor) - 1, gradient}, named = new Set(), queue = [first];
                while (queue.length)
                    for (const each of operandsOf(trace, queue.pop()))
                        if (!named.has(keyOf(each))) {
                            named.add(keyOf(each));
                            queue.push(each);
                        }
                const found = new Set();
                for (const [key, distances] of followed(trace, first))
                    distances.forEach((distance, at) => distance && found.add(`${key}:${at}`));
                // (Values between the steps may be passed over.)
                const isNamed = (key) => trace.isNamed(Number(key.replace("∂", "").split(":")[0]));
                assert.deepEqual([...found].filter(isNamed).sort(), [...named].filter(isNamed).sort());
            }
});

test("a product is set with its operands to the left and above", () => {
    const trace = new Trace(plain), tensor = named(plain, "logits"),
          product = productOf(trace, tensor, false, new Slice([3, 3], 0));
    assert.deepEqual(product.left(1, 0), {tensor: named(plain, "Q"), at: 2, gradient: false});
    assert.deepEqual(product.top(1, 2), {tensor: named(plain, "K"), at: 5, gradient: false});
    assert.deepEqual([product.isLeftTurned, product.isTopTurned], [false, true]);
    const gradient = productOf(trace, named(plain, "V"), true, new Slice([3, 2], 0));
    assert.deepEqual(
        [gradient.isLeftTurned, gradient.left(1, 0).tensor, gradient.top(0, 0).gradient],
        [true, named(plain, "attention"), true]);
    assert.equal(productOf(trace, named(plain, "attention"), false, new Slice([3, 3], 0)), null);
    assert.deepEqual(
        operandTensors(trace, {tensor, at: 0, gradient: false}).map((e) => trace.tensors[e.tensor].name),
        ["Q", "K"]);
});

test("labels are relative to the scope, and constants are their value", () => {
    const trace = new Trace(layers), labels = new Labels(trace, "encoder/0/", 2);
    assert.equal(labels.label({tensor: named(layers, "encoder/0/mlp/output"), at: 13}), "mlp/output[1,3]");
    assert.equal(
        new Labels(trace, "", 2).label({tensor: named(layers, "encoder/0/x"), at: 1, gradient: true}),
        "∂L/∂encoder/0/x[0,1]");
});

test("symbols of one formula have different colours, and mean its operands", () => {
    const symbols = new Symbols(new Trace(layers)),
          step = layers.steps.find(({path}) => path.endsWith("norm1"));
    const meanings = symbols.meanings(step), ids = ["x", "γ", "β"].map((symbol) => meanings.get(symbol));
    assert.deepEqual(ids, ["encoder/0/x", "norm1.weight", "norm1.bias"].map((name) => named(layers, name)));
    assert.equal(new Set([...ids, step.tensor].map((id) => symbols.classOf(id))).size, 4);
    assert.equal(meanings.get("μ"), undefined);
});

test("the arithmetic is a sentence", () => {
    const {arithmetic} = written(plain, "logits", 1);
    assert.equal(
        sentenceOf(arithmetic, "0.04"),
        "logits at 0, 1 is the sum over c of Q[0,c] times K[1,c]: minus 0.66 times 1.30 plus 0.70 times 1.29, which is 0.04.");
});

test("a letter that runs over several axes, or an offset, is not written as an index of one", () => {
    const b = new Builder(), x = b.step("x", b.given("x", [2, 3], randomNumbers(6)));
    b.step("sum", b.total(x));
    const tail =
        b.op("sum", [], {loops: [2], letters: ["i"], is: ["sum", ["r", 0]], reads: [[x, 0, 1, [], [1]]]});
    b.step("tail", tail);
    b.fill();
    assert.equal(written(b.data, "sum", 0).all[1], "Σ_i x[0,0] …");
    assert.equal(written(b.data, "tail", 0).all[1], "Σ_i x[0,i+1]");
});

test("the update of a training step begins with the gradient of its loss, and what other examples add", () => {
    const b = new Builder(), w = b.parameter("w", [2], [1, 2]), read = [w, 1, 0, [1], []];
    const loss = b.total(b.divide(w, b.constant(2)));
    const rest = b.given("update/w/others", [2], [0.25, 0.5]);
    b.contributions.push({of: w, gradient: 0, op: "the other examples", from: rest, loops: [], letters: [],
        reads: [[rest, 0, 0, [1], []]], is: b.expression(["r", 0])});
    const gradient = b.op("backward", [2], {is: ["r", 0], reads: [read]});
    b.step("update/w/gradient", gradient);
    b.data.steps.unshift({path: "update/w/others", tensor: rest, formula: "", sentence: "", kind: "number", checks: []});
    b.differentiate(loss, "L");
    delete b.data.parameters[0].gradient;
    const trace = new Trace(b.data);
    assert.deepEqual([trace.gradient(w, 1), trace.value(gradient, 1)], [1, 1]);
    assert.deepEqual(written(b.data, "w", 1, {gradient: true}).all.slice(0, 2), ["∂L/∂w[1]", "∂L/∂div[1] / 2 + update/w/others[1]"]);
    assert.deepEqual(written(b.data, "update/w/gradient", 1).all, ["update/w/gradient[1]", "∂L/∂w[1]", "1"]);
    assert.deepEqual([...usersOf(trace, {tensor: w, at: 1, gradient: true}).get(gradient)], [1]);
    assert.ok(trace.isMadeOfGradients(gradient) && !trace.isMadeOfGradients(loss));
    assert.deepEqual(operandsOf(trace, {tensor: gradient, at: 1, gradient: false}), [{tensor: w, at: 1, gradient: true}]);
});

// The lines of a number with the signs between them.
function signed(data, name, at, places) {
    const {lines} = arithmeticOf(new Trace(data), {tensor: named(data, name), at, gradient: false}, new Labels(new Trace(data), "", places));
    return lines.map((line, i) => `${i ? signBetween(lines[i - 1], line) : "="} ${lineText(line)}`);
}

test("between two lines stands = only where a calculator gives the digits that are printed, of each part", () => {
    const data = attention(), signs = new Set();
    const calculated = (text) => eval(text.replaceAll("−", "-").replaceAll("·", "*")), two = (text) => calculated(text).toFixed(2);
    for (let at = 0; at < 9; ++at) {
        const [[, products], [first, sum], [second, number]] = signed(data, "logits", at, 2).map((line) => [line[0], line.slice(2)]);
        const parts = products.split(" + ").map(two), arePrinted = (parts.join(" + ").replace("+ -", "- ")) === sum.replaceAll("−", "-");
        assert.equal(first, arePrinted && two(products) === two(sum) ? "=" : "≈", `${products} | ${sum}`);
        assert.equal(second, two(sum) === two(number) ? "=" : "≈", `${sum} | ${number}`);
        signs.add(first);
    }
    assert.equal(signs.size, 2);
});

test("a quotient and a sum that are only about so have ≈", () => {
    const b = new Builder(), of = (name, number) => b.given(name, [1], [number]);
    b.step("quotient", b.divide(of("a", 0.00068), of("b", 0.0022)));
    b.step("sum", b.add(of("c", 0.1514), of("d", 6.2e-6)));
    b.fill();
    assert.deepEqual(signed(b.data, "quotient", 0, 4), ["= 0.0007 / 0.0022", "≈ 0.3091"]);
    assert.deepEqual(signed(b.data, "sum", 0, 4), ["= 0.1514 + 6.2e−6", "≈ 0.1514"]);
});
