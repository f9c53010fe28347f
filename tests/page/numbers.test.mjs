import assert from "node:assert/strict";
import test from "node:test";

import {bitOf, bytesOf, realsOf} from "../../tracer/report/html/base64.js";
import {erf, functionsByName} from "../../tracer/report/html/functions.js";
import {brief, exact, rootOrNumber, shown} from "../../tracer/report/html/numbers.js";

import {base64Of} from "./builder.mjs";

test("numbers come out of the file bit by bit", () => {
    const values = Float32Array.from([0.1, -0, 1e-45, 3.4028234663852886e38, NaN, -Infinity]);
    const read = realsOf(base64Of(values), "float32");
    assert.deepEqual([...new Uint32Array(read.buffer)], [...new Uint32Array(values.buffer)]);
    const doubles = Float64Array.from([0.1, Math.PI]);
    const text = Buffer.from(new Uint8Array(doubles.buffer)).toString("base64");
    assert.deepEqual([...realsOf(text, "float64")], [...doubles]);
    assert.equal(realsOf("", "float32").length, 0);
});

test("bits are read from the lowest of the first byte", () => {
    const bytes = bytesOf(Buffer.from([0b00000101, 0b00000001]).toString("base64"));
    assert.deepEqual([0, 1, 2, 3, 8, 9].map((i) => bitOf(bytes, i)), [true, false, true, false, true, false]);
});

test("words that JSON has for what is no number are shown as it", () => {
    assert.deepEqual(["NaN", "Infinity", "-Infinity"].map((x) => exact(x, "float32")), ["nan", "inf", "-inf"]);
    assert.deepEqual(["NaN", "Infinity", "-Infinity"].map((x) => shown(x, 2, "float32")), ["NaN", "∞", "−∞"]);
    assert.equal(brief("NaN", 3), "NaN");
});

test("the exact text is the shortest that reads back", () => {
    assert.equal(exact(Math.fround(0.1), "float32"), "0.1");
    assert.equal(exact(0.1, "float64"), "0.1");
    assert.equal(exact(Math.fround(0.54049295), "float32"), "0.54049295");
    assert.equal(exact(Math.fround(16777216), "float32"), "16777216");
    assert.deepEqual(
        [NaN, Infinity, -Infinity, -0].map((x) => exact(x, "float32")), ["nan", "inf", "-inf", "-0"]);
    const bits = new Uint32Array(1), value = new Float32Array(bits.buffer);
    for (let i = 0; i < 20000; ++i) {
        bits[0] = Math.imul(i, 2654435761) >>> 0;
        if (!Number.isFinite(value[0])) continue;
        const text = exact(value[0], "float32");
        assert.ok(Object.is(Math.fround(Number(text)), value[0]), text);
        const digits = text.replace(/e.*|[-.]/g, "").replace(/^0+|0+$/g, "").length;
        if (digits > 1)
            assert.notEqual(
                Math.fround(Number(Math.abs(value[0]).toPrecision(digits - 1))), Math.abs(value[0]),
                text + " could be shorter");
    }
});

test("a shown number has its decimals, none where it is whole, and is never 0 when it is not 0", () => {
    assert.equal(shown(Math.fround(-0.6613315), 2, "float32"), "−0.66");
    assert.equal(shown(Math.fround(0.1), 9, "float32"), "0.100000000");
    assert.equal(shown(0, 2, "float32"), "0");
    assert.equal(shown(-0, 2, "float32"), "0");
    assert.deepEqual([1, -1, 2, 4096].map((x) => shown(x, 4, "float32")), ["1", "−1", "2", "4096"]);
    assert.equal(shown(Math.fround(0.99999994), 4, "float32"), "1.0000");
    assert.equal(shown(0.1 + 0.2 + 0.7, 4, "float64"), "1");
    assert.equal(shown(Math.fround(0.99995), 4, "float32"), "0.9999");  // it lies below the half
    assert.equal(shown(Math.fround(0.0012), 2, "float32"), "1.2e−3");
    assert.equal(shown(-9e15, 2, "float32"), "−9e15");
    assert.deepEqual([NaN, Infinity, -Infinity].map((x) => shown(x, 2, "float32")), ["NaN", "∞", "−∞"]);
});

test("constants are short, and roots are roots", () => {
    assert.equal(brief(8, 4), "8");
    assert.equal(brief(0.25, 4), "0.25");
    assert.equal(rootOrNumber(Math.fround(Math.SQRT2), "float32"), "√2");
    assert.equal(rootOrNumber(8, "float32"), "8");
    assert.equal(rootOrNumber(Math.fround(1 - 0.999 ** 3), "float32"), "0.002997001");
});

test("functions are right", () => {
    const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-14, `${a} and ${b}`);
    [[0, 0], [0.5, 0.5204998778130465], [-1, -0.8427007929497149], [2.4, 0.9993114861033549],
     [2.6, 0.9997639655834707], [3, 0.9999779095030014], [7, 1]]
        .forEach(([x, y]) => near(erf(x), y));
    near(functionsByName.sigmoid(1), 0.7310585786300049);
    near(functionsByName.silu(-2), -0.2384058440442351);
    assert.equal(functionsByName.relu(-2), 0);
    assert.ok(Number.isNaN(functionsByName.relu(NaN)));
});
