// Pages to test with and to look at. `node samples.mjs FOLDER` writes them all.
import {mkdirSync, writeFileSync} from "node:fs";

import {base64Of, Builder, randomNumbers} from "./builder.mjs";

const sentences = {
    Q: "What each position looks for: one query per row.",
    K: "What each position offers: one key per row.",
    V: "What each position passes on: one value per row.",
    logits: "How well each query matches each key.",
    scaled: "Divided by √d_k, the scores keep a standard deviation near 1 whatever the width.",
    masked: "A score that the mask hides becomes so low that its weight is 0.",
    attention: "How much each position attends to each other; each row sums to 1.",
    values: "Each position's mix of the values, weighted by its attention.",
};

// The README's example: softmax(Q Kᵀ / √d_k) V on the tutorial's numbers.
export function attention({gradients = false, causal = false, words = null, right = false} = {}) {
    const b = new Builder({
        header: [
            "Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V", "n_q = 3 queries, n_k = 3 keys, d_k = 2, d_v = 2"
        ],
        result: "values",
    });
    const Q = b.step(
        "Q", b.given("Q", [3, 2], [-0.6613315, 0.70056266, 0.08239268, -1.7793142, -0.04378588, -1.0965251]),
        "", sentences.Q);
    const K = b.step(
        "K", b.given("K", [3, 2], [1.7257481, 0.35568172, 1.3034704, 1.2873708, 1.6871481, -0.5714404]), "",
        sentences.K);
    const V = b.step(
        "V", b.given("V", [3, 2], [1.7745264, 1.1050899, 0.02886755, -0.46224892, 1.2577463, -1.1437944]), "",
        sentences.V);
    const axes = words ? [{name: "query", words}, {name: "key", words}] : undefined;
    const named = {...(axes ? {axes} : {})};
    const logits = b.step("logits", b.matmul(Q, b.transpose(K)), "Q Kᵀ", sentences.logits, named);
    let scores =
        b.step("scaled", b.divide(logits, b.constant(Math.SQRT2)), "logits / √d_k", sentences.scaled, named);
    if (causal) {
        const mask = b.given("mask", [3, 3], [1, 0, 0, 1, 1, 0, 1, 1, 1]);
        const hidden = Buffer.from([0b00100110, 0]).toString("base64");
        scores = b.step(
            "masked", b.maskedFill(scores, mask, -9e15), "scaled where the mask is 1, else −9e15",
            sentences.masked, {kind: "masked", hidden, ...named});
    }
    const checks = [[true, "every row sums to 1 (off by at most 6e-08)"]];
    const weights = b.step(
        "attention", b.softmax(scores), `softmax(${causal ? "masked" : "scaled"})`, sentences.attention,
        {kind: "weight", checks, ...named});
    const values = b.step("values", b.matmul(weights, V), "attention V", sentences.values);
    const loss = gradients ? b.total(values) : null;
    b.fill();
    if (gradients) b.differentiate(loss, "sum(values)");
    if (right) {
        b.data.comparison = {left: "mistake scale-missing", right: "right pass"};
        for (const path of ["scaled", "attention", "values"]) {
            const step = b.data.steps.find((each) => each.path === path), t = b.data.tensors[step.tensor];
            const numbers = new Float32Array(new Uint8Array(Buffer.from(t.data, "base64")).buffer);
            step.right = base64Of(numbers.map((x, i) => (i === 0 ? x : x * 1.3)));
        }
    }
    return b.data;
}

// layer norm + linear + softmax of a (4, 8), in scopes.
export function block({gradients = true} = {}) {
    const b = new Builder({
        title: "Layer norm, linear and softmax",
        command: "block",
        result: "encoder/0/softmax",
        precision: 3
    });
    const x = b.step("encoder/0/x", b.given("x", [4, 8], randomNumbers(32, 7)), "", "One position a row.");
    const weight = b.parameter("norm1.weight", [8], randomNumbers(8, 3).map((r) => 1 + r / 10));
    const bias = b.parameter("norm1.bias", [8], randomNumbers(8, 4).map((r) => r / 10));
    const norm = b.step(
        "encoder/0/norm1", b.layerNorm(x, weight, bias), "(x − μ) / √(σ² + ε) · γ + β",
        "Each row has mean 0 and variance 1 before γ and β.");
    const W = b.parameter("mlp.linear.weight", [10, 8], randomNumbers(80, 5).map((r) => r / 3));
    const c = b.parameter("mlp.linear.bias", [10], randomNumbers(10, 6).map((r) => r / 3));
    const linear = b.step(
        "encoder/0/mlp/output", b.linear(norm, W, c), "norm1 Wᵀ + b",
        "Each output is a weighted sum of the row.");
    const probabilities = b.step(
        "encoder/0/softmax", b.softmax(linear), "softmax(output)", "Each row sums to 1.", {kind: "weight"});
    const loss = b.total(linear);
    b.fill();
    if (gradients) b.differentiate(loss, "sum(encoder/0/mlp/output)");
    return b.data;
}

// A thousand rows of a thousand numbers.
export function big(rows = 1000, columns = 1000) {
    const b = new Builder({title: "A million numbers", result: "scaled"});
    const x = b.step("x", b.given("x", [rows, columns], randomNumbers(rows * columns)), "", "Many numbers.");
    b.step("scaled", b.divide(x, b.constant(8)), "x / 8", "Each divided by 8.");
    b.fill();
    return b.data;
}

// Names that would do harm if they were markup, or turned text around.
export function hostile() {
    const evil = ["<script>alert(1)</script>", "\"' onload=x", "\u202Edlrow\u202C", "a\u0000b"];
    const b = new Builder({title: "<img src=x onerror=alert(2)> \u2066title", result: evil[0]});
    const axes = [{name: evil[1], words: evil}, {name: evil[2], words: evil}];
    const x = b.step(
        evil[0],
        b.given(evil[0], [4, 4], [NaN, Infinity, -Infinity, 0, -0, 1e-9, 1e30, 3, ...randomNumbers(8)]), "",
        evil[2], {axes});
    b.step(
        "scope/" + evil[1], b.divide(x, b.constant(2)), "<b>x</b> / 2", "<i>sentence</i>",
        {axes, checks: [[false, evil[3]]]});
    b.fill();
    return b.data;
}

// Leading axes, a concatenation, words that numbers stand for, values without a name.
export function heads() {
    const b = new Builder({title: "Two sentences, two heads", precision: 2, result: "halved"});
    const words = ["the", "cat", "sat", "a", "dog", "ran"];
    b.step(
        "ids", b.given("ids", [2, 3], [4, 7, 9, 1, 5, 8]), "", "Each token's number in the vocabulary.",
        {kind: "word", words});
    const x = b.step("x", b.given("x", [2, 3, 4], randomNumbers(24)), "", "Two sentences of three words.");
    const split = b.step(
        "heads", b.view(x, [2, 2, 3, 2], 0, [12, 2, 4, 1]), "split(x)", "Each head sees two features.", {
            axes: [
                {name: "sentence", words: ["first", "second"]}, {name: "head", words: []},
                {name: "word", words: words.slice(0, 3)}, null
            ]
        });
    const sum = b.divide(b.add(b.divide(split, b.constant(2)), split), b.constant(Math.sqrt(3)));
    b.step("halved", sum, "(heads / 2 + heads) / √3", "Written as one formula.");
    b.step(
        "both", b.tensor([2, 3, 8], "value", {op: "concat", parts: [2, [x, x]]}), "x ‖ x", "Side by side.");
    b.fill();
    return b.data;
}

// Two conventions: the page holds both.
export function conventions() {
    const data = attention({causal: true}), other = attention({causal: true});
    const values = other.steps.find(({path}) => path === "attention"), t = other.tensors[values.tensor];
    const numbers = new Float32Array(new Uint8Array(Buffer.from(t.data, "base64")).buffer)
                        .map((w, i) => (i === 4 ? w + 0.1 : w));
    t.data = base64Of(numbers);
    return {...data, comparison: {left: "uva-jax", right: "paper"}, other: {...other, convention: "paper"}};
}

export const samples = {
    heads: () => heads(),
    conventions: () => conventions(),
    attention: () => attention(),
    gradients: () => attention({gradients: true}),
    causal: () => attention({causal: true, gradients: true, words: ["the", "cat", "sat"]}),
    mistake: () => attention({right: true}),
    block: () => block(),
    big: () => big(),
    hostile: () => hostile(),
};

if (process.argv[1] && process.argv[1].endsWith("samples.mjs")) {
    const {page} = await import("./assemble.mjs");
    const folder = process.argv[2];
    mkdirSync(folder, {recursive: true});
    for (const [name, make] of Object.entries(samples)) writeFileSync(`${folder}/${name}.html`, page(make()));
}
