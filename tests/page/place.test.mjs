import assert from "node:assert/strict";
import test from "node:test";

import {addressOf, elementAt, parseAddress, tensorNamed} from "../../tracer/report/html/address.js";
import {ColorScale, contrast, largestOf} from "../../tracer/report/html/colors.js";
import {Comparison, differs} from "../../tracer/report/html/comparison.js";
import {shortened} from "../../tracer/report/html/print_view.js";
import {isNear, isRight, numbersIn, Quiz} from "../../tracer/report/html/quiz.js";
import {Slice} from "../../tracer/report/html/slice.js";
import {visible} from "../../tracer/report/html/text.js";
import {Trace} from "../../tracer/report/html/trace.js";
import {lengthOf, scrollTo, windowAt} from "../../tracer/report/html/windowing.js";

import {attention, block, hostile} from "./samples.mjs";

test("an address is read as it was written, whatever the name", () => {
    for (const name of ["norm1", "encoder/0/self_attn/logits", "a[b];c,d%", "‮<x>", "#2"]) {
        const address = addressOf(name, [2, 3], {at: 4, gradient: true, side: "left"});
        assert.deepEqual(parseAddress(address), {name, place: [1, 1], gradient: true, side: "left"});
    }
    assert.equal(addressOf("norm1", [2, 3], {at: 1, gradient: false}), "#norm1[0,1]");
    assert.equal(addressOf("loss", [], {at: 0, gradient: false}), "#loss");
    assert.deepEqual(parseAddress("#norm1%5B0,1%5D").place, [0, 1]);
    assert.deepEqual(parseAddress("#norm1").place, null);
    assert.deepEqual(["", "#", "#%", "#[1]"].map(parseAddress), [null, null, null, null]);
});

test("a tensor is named by its path or a unique ending", () => {
    const data = block(), trace = new Trace(data),
          id = (name) => data.tensors.findIndex((t) => t.name === name);
    assert.equal(tensorNamed(trace, "norm1"), id("encoder/0/norm1"));
    assert.equal(tensorNamed(trace, "mlp/output"), id("encoder/0/mlp/output"));
    assert.equal(tensorNamed(trace, "norm1.bias"), id("norm1.bias"));
    assert.equal(tensorNamed(trace, "tensor:0"), 0);
    assert.equal(tensorNamed(trace, "tensor:999"), -1);
    assert.equal(tensorNamed(trace, "rm1"), -1);
});

test("places count from the end, and not beyond", () => {
    assert.equal(elementAt([2, 3], [1, -1]), 5);
    assert.equal(elementAt([2, 3], [2, 0]), null);
    assert.equal(elementAt([2, 3], [0]), null);
    assert.equal(elementAt([2, 3], [NaN, 0]), null);
    assert.equal(elementAt([2, 3], null), 0);
});

test("a slice is the matrix at the leading axes", () => {
    const slice = new Slice([2, 3, 4, 5], 77);
    assert.deepEqual([slice.leading, slice.base, slice.rowOf(77), slice.columnOf(77)], [[1, 0], 60, 3, 2]);
    assert.equal(slice.element(3, 2), 77);
    assert.equal(slice.moved(77, 1, 2), 117);
    assert.ok(slice.contains(60) && !slice.contains(80));
});

test("the window shows what is scrolled to, and no more", () => {
    assert.deepEqual(windowAt(0, 100, 1000, 30), {first: 0, end: 5, offset: 0});
    assert.deepEqual(windowAt(95, 100, 1000, 30), {first: 3, end: 8, offset: 90});
    assert.equal(windowAt(1e9, 100, 5, 30).end, 5);
    for (const count of [10, 1000, 1e6]) {
        const length = lengthOf(count, 30), bottom = windowAt(length - 300, 300, count, 30);
        assert.ok(length <= 4e6);
        assert.equal(bottom.end, count);
        for (const index of [0, 7, count >> 1, count - 1]) {
            const scroll = scrollTo(index, 0, 300, count, 30),
                  {first, end} = windowAt(scroll, 300, count, 30);
            assert.ok(first <= index && index < end, `${index} of ${count}`);
        }
    }
    assert.equal(scrollTo(3, 20, 300, 1000, 30), 20, "what is in view does not move");
});

test("an answer is right to the last decimal shown", () => {
    assert.ok(isNear(0.549, 0.5405, 2) && !isNear(0.56, 0.5405, 2));
    assert.ok(isNear(100.9, 100, 2) && !isNear(101.2, 100, 2));
    assert.ok(!isNear(0.549, 0.5405, 4));
    assert.ok(isNear(NaN, NaN, 2) && isNear(-Infinity, -Infinity, 2) && !isNear(5, Infinity, 2));
    assert.deepEqual(numbersIn("(3, 2)"), [3, 2]);
    assert.deepEqual(numbersIn("3×2"), [3, 2]);
    assert.deepEqual(numbersIn("−1.5e-3"), [-0.0015]);
    assert.deepEqual(numbersIn("()"), []);
    assert.ok(
        isRight({kind: "shape", answer: [3, 2]}, "3 2") && !isRight({kind: "shape", answer: [3, 2]}, "2 3") &&
        !isRight({kind: "shape", answer: [3, 2]}, "3"));
});

test("a second try counts, a third does not come", () => {
    const quiz = new Quiz(), shape = (key) => ({kind: "shape", key, answer: [3, 2]});
    assert.deepEqual(["1", "3 2"].map((text) => quiz.answer(shape("a"), text)), ["again", "right"]);
    assert.deepEqual(["1", "2"].map((text) => quiz.answer(shape("b"), text)), ["again", "wrong"]);
    assert.equal(quiz.answer(shape("c"), "3 2"), "right");
    assert.equal(quiz.score(), "2 of 3 right, 1 on the second try");
});

test("colours: below, at and above 0; text on them is readable", () => {
    for (const isDark of [false, true]) {
        const scale = new ColorScale("number", 2, isDark),
              [low, , high] = [scale.color(-2), 0, scale.color(2)];
        assert.ok(low[0] > low[2] && high[2] > high[0]);
        assert.notDeepEqual(scale.color(0.001), scale.color(-0.5));
        for (const kind of ["number", "weight"]) {
            const each = new ColorScale(kind, 1, isDark);
            for (let x = -1; x <= 1; x += 0.01)
                assert.ok(
                    contrast(each.color(x), each.text(x) === "#000" ? [0, 0, 0] : [255, 255, 255]) >= 4.5);
        }
    }
    assert.equal(largestOf(4, (i) => [1, -3, -9e15, NaN][i]), 3, "hidden scores count for no scale");
});

test("the first difference beyond rounding", () => {
    assert.ok(
        !differs(1, 1 + 1e-7) && differs(1, 1.01) && differs(NaN, 1) && !differs(NaN, NaN) &&
        differs(Infinity, 1));
    const data = attention({right: true}),
          comparison = new Comparison(new Trace(data), null, data.comparison);
    const step = (path) => data.steps.find((each) => each.path === path);
    assert.equal(comparison.firstStep(), step("scaled"));
    assert.equal(comparison.firstDifference(step("scaled")), 1);
    assert.equal(comparison.firstDifference(step("logits")), -1);
    const other = attention({causal: true}),
          two = new Comparison(new Trace(data), new Trace(other), undefined);
    assert.equal(two.firstStep(), step("attention"));
});

test("what would turn or hide text is written by its number", () => {
    assert.equal(visible("a\u202Eb\u0000\u2066"), "a\\u202eb\\u0000\\u2066");
    assert.equal(visible("<b> \"'"), "<b> \"'");
    const words = hostile().steps[0].axes[0].words.map(visible).join("");
    assert.doesNotMatch(words, /[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/);
});

test("print leaves out the middle", () => {
    assert.deepEqual(shortened(3, 5), [0, 1, 2]);
    assert.deepEqual(shortened(9, 5), [0, 1, -1, 7, 8]);
});
